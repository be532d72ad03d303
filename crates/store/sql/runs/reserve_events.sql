update runs
set last_seq = last_seq + $4
where id = $1 and lease_owner = $2 and epoch = $3
returning last_seq
