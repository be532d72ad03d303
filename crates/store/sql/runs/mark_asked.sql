update runs
set asked_key = $2
where id = $1
