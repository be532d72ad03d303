delete from http_sessions
where user_id = $1
   or user_id is null and replace(data, $2, '') <> data
