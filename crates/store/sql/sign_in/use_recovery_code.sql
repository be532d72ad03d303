delete from recovery_codes
where user_id = $1 and code_hash = $2
