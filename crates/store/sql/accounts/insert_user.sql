insert into users (id, email, email_key, name, password_hash, personal_workspace_id, created_at, email_verified_at)
values ($1, $2, $3, $4, $5, $6, $7, $8)
