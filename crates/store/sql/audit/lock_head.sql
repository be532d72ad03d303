update audit_heads
set number = number
where workspace_id = $1
