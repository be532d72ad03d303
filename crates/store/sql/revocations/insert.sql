insert into revocations (
    id, workspace_id, connection_id, network, sandbox, sealed, state, attempts, next_at, created_at, settled_at, last_error
)
values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $8, $9, $10)
