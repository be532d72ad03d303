select id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, text, due, assignee_id, created_by, done_at, version, created_at, updated_at
from todos
where (created_by = $1 or assignee_id = $1) and id > $2 and $3 >= 0
order by id
limit $4
