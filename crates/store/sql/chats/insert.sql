insert into chat_sessions (id, workspace_id, user_id, title, chat_only, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7)
