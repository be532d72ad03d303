select id, kind, sealed, attempts, next_at, expires_at
from mail_queue
where state = 'waiting' and next_at <= $1
order by case when kind = 'invitation' then 1 else 0 end, next_at, id
limit 1
