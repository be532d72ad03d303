select user_id, sealed, confirmed_at, last_step, failures, blocked_until, created_at
from second_factors
where user_id = $1
