delete from http_sessions
where id = $1
