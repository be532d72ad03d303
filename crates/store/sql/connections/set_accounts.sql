update connections
set
    accounts = $3,
    state = $4,
    last_verified_at = case when $4 = 'connected' then $5 else last_verified_at end
where workspace_id = $1 and id = $2
