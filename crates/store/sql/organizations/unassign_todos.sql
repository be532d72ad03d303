update todos
set assignee_id = null, version = version + 1
where workspace_id = $1 and assignee_id = $2
