update runs
set cancel_requested = true
where id = $1 and status in ('queued', 'running', 'awaiting_approval')
