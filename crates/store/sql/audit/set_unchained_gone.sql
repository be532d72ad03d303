update audit_heads
set unchained_gone = unchained_gone + $2
where workspace_id = $1
