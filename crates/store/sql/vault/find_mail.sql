select id, sealed
from mail_queue
where id = $1 and sealed <> ''
