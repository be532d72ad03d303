delete from idempotency_keys
where created_at <= $1
