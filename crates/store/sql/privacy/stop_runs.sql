update runs
set cancel_requested = true
where user_id = $1 and finished_at is null
