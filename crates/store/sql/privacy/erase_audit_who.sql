update audit_log
set user_id = $2, who_salt = null
where user_id = $1
