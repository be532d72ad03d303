select a.id, a.workspace_id, a.owner_id, u.name as owner_name, a.body, a.version, a.created_at, a.updated_at
from agents a
join users u on u.id = a.owner_id
where a.workspace_id = $1
order by a.id
