insert into account_tokens (secret_hash, user_id, purpose, email, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (user_id, purpose) do update
set secret_hash = excluded.secret_hash, email = excluded.email, created_at = excluded.created_at, expires_at = excluded.expires_at
