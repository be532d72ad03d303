delete from audit_heads
where workspace_id = $1
