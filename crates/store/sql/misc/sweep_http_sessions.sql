delete from http_sessions
where expires_at <= $1
