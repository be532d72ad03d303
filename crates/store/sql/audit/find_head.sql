select number, hash, unchained, unchained_gone, pruned, pruned_hash, verified, verified_hash
from audit_heads
where workspace_id = $1
