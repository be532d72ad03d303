select id, sealed
from mail_queue
where sealed <> '' and id = $1
