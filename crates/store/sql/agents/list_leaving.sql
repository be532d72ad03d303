select a.id, a.workspace_id, a.owner_id, u.name as owner_name, a.body, a.version, a.created_at, a.updated_at, m.user_id as heir
from agents a
join users u on u.id = a.owner_id
join memberships m on m.workspace_id = a.workspace_id and m.role = 'owner' and m.user_id <> a.owner_id
where a.owner_id = $1 and ($2 is null or a.workspace_id = $2)
order by a.id
