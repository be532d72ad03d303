update second_factors
set failures = 0, blocked_until = null
where user_id = $1
