insert into sign_in_attempts (state_hash, binding_hash, user_id, return_to, expires_at)
values ($1, $2, $3, $4, $5)
