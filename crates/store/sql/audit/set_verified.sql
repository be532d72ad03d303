update audit_heads
set verified = $2, verified_hash = $3
where workspace_id = $1 and verified < $2
