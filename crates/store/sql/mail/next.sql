select id, kind, sealed, attempts, next_at
from mail_queue
where state = 'waiting' and next_at <= $1
order by next_at, id
limit 1
