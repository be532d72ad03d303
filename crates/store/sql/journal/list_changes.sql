select p.run_id, p.view, p.sent
from approvals p
join tool_calls c on c.id = p.tool_call_id and c.status = 'succeeded'
where p.workspace_id = $1 and p.status = 'approved' and p.run_id >= $2 and p.run_id <= $3
order by p.id
