delete from sign_in_attempts
where expires_at <= $1
