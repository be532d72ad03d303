update chat_sessions
set shared_at = $4, home_question = null, home_basis = null
where workspace_id = $1 and user_id = $2 and id = $3
