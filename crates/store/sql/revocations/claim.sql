update revocations
set next_at = $3, attempts = attempts + 1
where id = $1 and attempts = $2 and state = 'waiting'
