update chat_sessions
set home_question = null, home_basis = null
where workspace_id = $1 and user_id = $2 and id = $3 and home_question is not null
