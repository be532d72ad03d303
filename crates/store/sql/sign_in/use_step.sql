update second_factors
set last_step = $2, failures = 0, blocked_until = null
where user_id = $1 and confirmed_at is not null and (last_step is null or last_step < $2)
