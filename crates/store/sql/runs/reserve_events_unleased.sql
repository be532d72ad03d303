update runs
set last_seq = last_seq + $2
where id = $1 and status in ('queued', 'running', 'awaiting_approval')
returning last_seq
