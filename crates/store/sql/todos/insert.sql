insert into todos (id, workspace_id, text, due, assignee_id, created_by, done_at, version, created_at, updated_at)
select $1, w.id, $3, $4, $5, $6, $7, 1, $8, $8
from workspaces w
where w.id = $2 and (select count(*) from todos t where t.workspace_id = $2) < $9
