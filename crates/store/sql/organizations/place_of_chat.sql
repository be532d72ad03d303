select t.workspace_id
from chat_sessions t
join memberships m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
where t.user_id = $1 and t.id = $2
