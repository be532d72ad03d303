update todos
set text = $4, due = $5, assignee_id = $6, done_at = $7, version = version + 1, updated_at = $8
where workspace_id = $1 and id = $2 and version = $3
