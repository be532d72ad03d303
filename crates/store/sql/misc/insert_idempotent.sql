insert into idempotency_keys (workspace_id, user_id, idempotency_key, request_digest, answer, created_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id, user_id, idempotency_key) do nothing
