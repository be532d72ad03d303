select number, hash, unchained, pruned, pruned_hash
from audit_heads
where workspace_id = $1
