update audit_heads
set pruned = $2, pruned_hash = $3
where workspace_id = $1 and pruned < $2
