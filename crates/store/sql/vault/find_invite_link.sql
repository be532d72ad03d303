select id, sealed
from invite_links
where id = $1
