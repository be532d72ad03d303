insert into access_tokens (id, workspace_id, user_id, name, hint, secret_hash, scopes, created_at, expires_at, last_used_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null)
