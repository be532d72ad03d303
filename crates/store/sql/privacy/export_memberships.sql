select m.workspace_id as mark_id, 0 as mark_number, m.workspace_id, w.kind, w.name, w.slug, m.role, m.created_at
from memberships m
join workspaces w on w.id = m.workspace_id
where m.user_id = $1 and m.workspace_id > $2 and $3 >= 0
order by m.workspace_id
limit $4
