delete from oauth_attempts
where state_hash = $1
returning state_hash, workspace_id, user_id, session_hash, network, sealed_verifier, return_to, expires_at,
    sandbox, connection_id, adds, label, tool_server_id
