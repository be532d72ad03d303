insert into approvals (
    id, workspace_id, user_id, run_id, session_id, tool_call_id, source, status, digest, view, created_at, expires_at
)
select $1, r.workspace_id, r.user_id, r.id, r.session_id, $6, $7, $8, $9, $10, $11, $12
from runs r
where r.id = $4 and r.workspace_id = $2 and r.user_id = $3 and (r.session_id = $5 or r.session_id is null and $5 is null)
