update audit_heads
set hash = $2
where workspace_id = $1
