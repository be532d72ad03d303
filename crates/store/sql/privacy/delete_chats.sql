delete from chat_sessions
where user_id = $1
