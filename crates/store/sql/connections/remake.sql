update connections
set
    state = $4,
    enabled = $5,
    sandbox = $6,
    sealed = $7,
    accounts = $8,
    message = $9,
    version = version + 1,
    last_verified_at = $10,
    abilities = $11,
    made = made + 1,
    consented_by = $12
where workspace_id = $1 and id = $2 and network = $3 and (sandbox or not $6)
