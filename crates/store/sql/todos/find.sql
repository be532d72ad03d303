select t.id, t.workspace_id, t.text, t.due, t.assignee_id, a.name as assignee_name, t.created_by, b.name as by_name, t.done_at,
    r.id as run_id, r.user_id as run_user_id, t.version, t.created_at, t.updated_at
from todos t
left join users a on a.id = t.assignee_id
left join users b on b.id = t.created_by
left join tool_calls c on c.id = t.id and c.workspace_id = t.workspace_id
left join runs r on r.id = c.run_id
where t.workspace_id = $1 and t.id = $2
