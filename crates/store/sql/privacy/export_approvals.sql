select
    id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, run_id, tool_call_id, status,
    -- A person who only answered an approval does not get what another person asked in their own chat.
    case when user_id = $1 then session_id end as session_id, case when user_id = $1 then view end as view, created_at, expires_at,
    answered_at, edited_args, sent, reason
from approvals
where (user_id = $1 or answered_by = $1)
    and exists (select 1 from memberships m where m.workspace_id = approvals.workspace_id and m.user_id = $1)
    and id > $2 and $3 >= 0
order by id
limit $4
