select
    id as mark_id, 0 as mark_number, id, workspace_id, network, state, enabled, sandbox, accounts, message, created_at,
    last_verified_at
from connections
where created_by = $1 and id > $2 and $3 >= 0
order by id
limit $4
