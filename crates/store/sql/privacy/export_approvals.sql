select
    id as mark_id, 0 as mark_number, id, workspace_id, run_id, session_id, tool_call_id, status, view, created_at, expires_at,
    answered_at, edited_args, reason
from approvals
where (user_id = $1 or answered_by = $1) and id > $2 and $3 >= 0
order by id
limit $4
