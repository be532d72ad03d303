update runs
set cancel_requested = true, asked_key = null
where id = $1 and status in ('queued', 'running', 'awaiting_approval')
