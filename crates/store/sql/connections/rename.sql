update connections
set label = $3, label_key = $4
where workspace_id = $1 and id = $2
