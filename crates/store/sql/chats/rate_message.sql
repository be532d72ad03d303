update messages
set rating = $4, rating_comment = $5
where
    workspace_id = $1
    and id = $3
    and session_id in (select s.id from chat_sessions s where s.workspace_id = $1 and s.user_id = $2)
