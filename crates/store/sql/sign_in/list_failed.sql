select address, attempts, first_at, last_at
from failed_sign_ins
where user_id = $1 and last_at > $2
order by last_at desc, address
limit $3
