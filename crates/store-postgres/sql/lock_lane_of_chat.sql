select 1 as held
from chat_sessions
where id = $1
for no key update
