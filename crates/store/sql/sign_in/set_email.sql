update users
set email = $2, email_key = $3, email_verified_at = $4
where id = $1
