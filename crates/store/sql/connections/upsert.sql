insert into connections (
    id, workspace_id, network, state, enabled, sandbox, sealed, accounts, message, version, created_by, created_at,
    last_verified_at, abilities, made
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
on conflict (workspace_id, network) do update set
    state = excluded.state,
    enabled = excluded.enabled,
    sandbox = excluded.sandbox,
    sealed = excluded.sealed,
    accounts = excluded.accounts,
    message = excluded.message,
    version = connections.version + 1,
    last_verified_at = excluded.last_verified_at,
    abilities = excluded.abilities,
    made = connections.made + 1
where connections.sandbox or not excluded.sandbox
returning id
