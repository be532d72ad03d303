insert into oauth_attempts (
    state_hash, workspace_id, user_id, session_hash, network, sealed_verifier, return_to, expires_at,
    sandbox, connection_id, adds, label, tool_server_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
