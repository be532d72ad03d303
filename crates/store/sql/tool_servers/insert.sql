insert into tool_servers
    (id, workspace_id, handle, name, url, sign_in, sealed, enabled, problem, tools, left_out, created_by, version, checked_at, created_at,
    updated_at)
select $1, w.id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $14, $14
from workspaces w
where w.id = $2 and (select count(*) from tool_servers t where t.workspace_id = $2) < $15
