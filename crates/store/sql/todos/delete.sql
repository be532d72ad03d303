delete from todos
where workspace_id = $1 and id = $2
