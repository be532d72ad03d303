update connections
set
    state = $4,
    message = $5,
    last_verified_at = case when $4 = 'connected' then $6 else last_verified_at end
where workspace_id = $1 and id = $2 and version = $3
