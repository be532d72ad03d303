update tool_servers
set sealed = $4, signed_in_at = $5, sign_in_expired = $6, sealed_version = sealed_version + 1, refresh_until = null
where workspace_id = $1 and id = $2 and sealed_version = $3
