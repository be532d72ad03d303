delete from sign_in_attempts
where state_hash = $1 and binding_hash = $2
returning state_hash, binding_hash, user_id, return_to, expires_at
