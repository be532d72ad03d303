delete from tool_servers
where workspace_id = $1 and id = $2
returning handle
