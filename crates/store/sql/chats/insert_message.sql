insert into messages (id, workspace_id, session_id, run_id, author_id, content, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
