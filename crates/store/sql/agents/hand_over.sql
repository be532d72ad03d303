update agents
set
    owner_id = $3, handle = $4, name = $5, called = $6, position = $7, description = $8, active = $9, sharing = $10, journal = $11,
    body = $12, version = version + 1, updated_at = $13
where workspace_id = $1 and id = $2
