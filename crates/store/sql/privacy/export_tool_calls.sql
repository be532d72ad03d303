select
    c.id as mark_id, 0 as mark_number, c.id, c.run_id, c.workspace_id, c.name, c.read_only, c.args, c.status, c.result,
    c.created_at, c.updated_at
from runs r
join tool_calls c on c.run_id = r.id
where r.user_id = $1 and c.id > $2 and $3 >= 0
order by c.id
limit $4
