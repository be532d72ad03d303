select id, sealed
from connections
where id > $1
order by id
limit $2
