update connections
set
    state = $3,
    message = $4,
    last_verified_at = case when $3 = 'connected' then $5 else last_verified_at end
where workspace_id = $1 and id = $2
