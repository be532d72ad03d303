delete from account_tokens
where secret_hash = $1 and purpose = $2
returning user_id, purpose, email, created_at, expires_at
