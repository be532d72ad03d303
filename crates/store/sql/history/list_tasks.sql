select message_id
from runs
where root_id = $1 and parent_id is not null and message_id is not null
order by id
