update http_sessions
set data = $2, expires_at = $3
where id = $1
