update tool_servers
set name = $4, sealed = $5, enabled = $6, problem = $7, tools = $8, left_out = $9, checked_at = $10, version = version + 1, updated_at = $11
where workspace_id = $1 and id = $2 and version = $3
