update tool_servers
set refresh_until = null
where workspace_id = $1 and id = $2 and sealed_version = $3
