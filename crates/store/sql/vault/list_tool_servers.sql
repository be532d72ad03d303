select id, sealed
from tool_servers
where id > $1 and sealed is not null
order by id
limit $2
