update revocations
set next_at = $3, last_error = $4
where id = $1 and attempts = $2 and state = 'waiting'
