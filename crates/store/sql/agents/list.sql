select a.id, a.workspace_id, a.owner_id, u.name as owner_name, a.body, a.version, a.created_at, a.updated_at
from agents a
join users u on u.id = a.owner_id
where a.workspace_id = $1 and (a.owner_id = $2 or a.sharing <> 'private')
order by case when a.owner_id = $2 then 0 else 1 end, a.handle, a.id
limit $3
