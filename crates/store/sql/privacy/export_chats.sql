select id as mark_id, 0 as mark_number, id, workspace_id, title, chat_only, kept, created_at, updated_at
from chat_sessions
where user_id = $1 and id > $2 and $3 >= 0
order by id
limit $4
