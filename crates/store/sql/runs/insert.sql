insert into runs (id, workspace_id, user_id, session_id, message_id, status, model, created_at, claim_at)
select $1, $2, $3, s.id, $5, 'queued', $6, $7, $8
from chat_sessions s
where s.id = $4 and s.workspace_id = $2 and s.user_id = $3
