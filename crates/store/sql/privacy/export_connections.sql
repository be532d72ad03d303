select
    id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, network, state, enabled, sandbox, accounts, message, created_at,
    last_verified_at
from connections
where created_by = $1
    and exists (select 1 from memberships m where m.workspace_id = connections.workspace_id and m.user_id = $1)
    and id > $2 and $3 >= 0
order by id
limit $4
