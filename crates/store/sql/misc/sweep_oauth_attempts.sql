delete from oauth_attempts
where expires_at <= $1
