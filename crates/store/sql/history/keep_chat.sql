update chat_sessions
set kept = $4
where workspace_id = $1 and user_id = $2 and id = $3
