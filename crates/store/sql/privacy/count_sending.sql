select count(*) as sending
from runs r
join tool_calls c on c.run_id = r.id
where r.user_id = $1 and c.status = 'sending'
