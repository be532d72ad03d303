update connections
set abilities = $4
where workspace_id = $1 and id = $2 and made = $3
