update connections
set sealed = $4, version = version + 1, last_verified_at = $5
where workspace_id = $1 and id = $2 and version = $3
