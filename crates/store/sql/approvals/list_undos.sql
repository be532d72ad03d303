select r.asked_key, a.id
from runs r
join approvals a on a.run_id = r.id
join tool_calls c on c.run_id = r.id
where
    r.workspace_id = $1
    and r.user_id = $2
    and r.asked_key like 'undo:%'
    and a.status = 'approved'
    and c.status = 'succeeded'
    and c.read_only = false
order by a.id
