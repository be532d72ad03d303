select id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, text, due, assignee_id, created_by, done_at, version, created_at, updated_at
from todos
where (created_by = $1 or assignee_id = $1)
    and exists (select 1 from memberships m where m.workspace_id = todos.workspace_id and m.user_id = $1)
    and id > $2 and $3 >= 0
order by id
limit $4
