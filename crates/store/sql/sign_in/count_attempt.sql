update second_factors
set failures = failures + 1, blocked_until = case when (failures + 1) % $4 = 0 then $3 else blocked_until end
where user_id = $1 and (blocked_until is null or blocked_until <= $2)
returning failures
