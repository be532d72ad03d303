select m.user_id, u.name, u.email, m.role, m.created_at
from memberships m
join users u on u.id = m.user_id
where m.workspace_id = $1
order by case m.role when 'owner' then 0 when 'admin' then 1 else 2 end, u.name, m.user_id
limit $2
