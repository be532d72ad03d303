update chat_sessions
set title = coalesce($4, title), chat_only = coalesce($5, chat_only), updated_at = $6
where workspace_id = $1 and user_id = $2 and id = $3
