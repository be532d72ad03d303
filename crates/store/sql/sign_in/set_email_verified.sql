update users
set email_verified_at = $2
where id = $1 and email_verified_at is null
