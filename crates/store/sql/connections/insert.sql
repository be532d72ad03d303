insert into connections (
    id, workspace_id, network, state, enabled, sandbox, sealed, accounts, message, version, created_by, created_at,
    last_verified_at, abilities, made, label, label_key, consented_by
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
