update connections
set enabled = $3
where workspace_id = $1 and id = $2
