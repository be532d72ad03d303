delete from connections
where workspace_id = $1
