select id, workspace_id, handle, name, url, sign_in, sealed, sealed_version, signed_in_at, sign_in_expired, enabled, problem, tools, left_out, created_by,
    version, checked_at, created_at, updated_at
from tool_servers
where workspace_id = $1
order by name, id
limit $2
