select count(*) as owned
from memberships m
join workspaces w on w.id = m.workspace_id
where m.user_id = $1 and m.role = 'owner' and w.kind = 'organization'
