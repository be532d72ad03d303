update http_sessions
set user_id = $2, created_at = $3, seen_at = $4, agent = $5, address = $6
where id = $1
