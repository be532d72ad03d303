update chat_sessions
set home_question = $4, home_basis = $5
where workspace_id = $1 and user_id = $2 and id = $3
