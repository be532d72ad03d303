select id, sealed
from mail_queue
where sealed <> '' and id > $1
order by id
limit $2
