delete from recovery_codes
where user_id = $1
