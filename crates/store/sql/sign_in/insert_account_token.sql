insert into account_tokens (secret_hash, user_id, purpose, email, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6)
