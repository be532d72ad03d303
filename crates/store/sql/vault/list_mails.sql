select id, sealed
from mail_queue
where id > $1 and sealed <> ''
order by id
limit $2
