insert into recovery_codes (user_id, code_hash)
values ($1, $2)
