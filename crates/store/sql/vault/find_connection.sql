select id, sealed
from connections
where id = $1
