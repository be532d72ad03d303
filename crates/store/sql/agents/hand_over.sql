update agents
set owner_id = $3, handle = $4, sharing = $5, body = $6, version = version + 1, updated_at = $7
where workspace_id = $1 and id = $2
