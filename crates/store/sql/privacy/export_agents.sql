select id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, handle, sharing, body, version, created_at, updated_at
from agents
where owner_id = $1 and id > $2 and $3 >= 0
order by id
limit $4
