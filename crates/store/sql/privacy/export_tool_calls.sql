select
    c.id as mark_id, cast(0 as bigint) as mark_number, c.id, c.run_id, c.workspace_id, c.name, c.read_only, c.args, c.status, c.result,
    c.artifact, c.created_at, c.updated_at
from runs r
join tool_calls c on c.run_id = r.id
where
    r.user_id = $1
    and exists (select 1 from memberships m where m.workspace_id = r.workspace_id and m.user_id = $1)
    and c.id > $2 and $3 >= 0
order by c.id
limit $4
