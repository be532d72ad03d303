delete from runs
where workspace_id = $1
