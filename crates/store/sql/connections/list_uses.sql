select c.name, c.run_id, count(a.id) as waiting
from tool_calls c
join runs r on r.id = c.run_id
left join approvals a on a.tool_call_id = c.id and a.status = 'pending'
where
    r.workspace_id = $1
    and r.status in ('queued', 'running', 'awaiting_approval')
    and c.status in ('prepared', 'approved', 'sending')
group by c.name, c.run_id
order by c.name, c.run_id
limit $2
