update runs
set last_seq = last_seq + $2
where id = $1
returning last_seq
