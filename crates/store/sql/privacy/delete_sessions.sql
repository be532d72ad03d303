delete from http_sessions
where replace(data, $1, '') <> data
