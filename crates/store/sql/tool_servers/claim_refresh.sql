update tool_servers
set refresh_until = $5
where workspace_id = $1 and id = $2 and sealed_version = $3 and (refresh_until is null or refresh_until <= $4)
