select w.id, w.kind, w.name, w.slug, w.created_at, m.user_id, m.role
from memberships m
join workspaces w on w.id = m.workspace_id
where m.workspace_id = $1 and m.user_id = $2
