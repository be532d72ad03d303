select 1 as held
from chat_sessions
where id = (select r.session_id from runs r where r.id = $1)
for no key update
