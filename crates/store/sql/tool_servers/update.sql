update tool_servers
set name = $4, enabled = $5, problem = $6, tools = $7, left_out = $8, checked_at = $9, version = version + 1, updated_at = $10
where workspace_id = $1 and id = $2 and version = $3
