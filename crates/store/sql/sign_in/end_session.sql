delete from http_sessions
where user_id = $1 and id = $2
