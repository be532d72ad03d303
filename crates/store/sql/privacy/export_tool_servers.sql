select id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, handle, name, url, sign_in, signed_in_at, sign_in_expired, enabled,
    tools, created_at, updated_at
from tool_servers
where created_by = $1
    and exists (select 1 from memberships m where m.workspace_id = tool_servers.workspace_id and m.user_id = $1)
    and id > $2 and $3 >= 0
order by id
limit $4
