update second_factors
set sealed = $3, confirmed_at = $4, last_step = $5, failures = 0, blocked_until = null
where user_id = $1 and sealed = $2 and confirmed_at is null
