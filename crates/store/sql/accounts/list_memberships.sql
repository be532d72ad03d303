select w.id, w.kind, w.name, w.slug, w.created_at, m.user_id, m.role
from memberships m
join workspaces w on w.id = m.workspace_id
where m.user_id = $1
order by case w.kind when 'personal' then 0 else 1 end, w.name, w.id
