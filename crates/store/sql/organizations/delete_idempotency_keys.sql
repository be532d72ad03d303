delete from idempotency_keys
where workspace_id = $1 and user_id = $2
