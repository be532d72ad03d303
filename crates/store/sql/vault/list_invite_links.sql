select id, sealed
from invite_links
where id > $1
order by id
limit $2
