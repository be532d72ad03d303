select w.id, w.name, (select count(*) from memberships o where o.workspace_id = w.id and o.user_id <> $1) as others
from memberships m
join workspaces w on w.id = m.workspace_id
where m.user_id = $1 and m.role = 'owner' and w.kind = 'organization'
order by w.name, w.id
