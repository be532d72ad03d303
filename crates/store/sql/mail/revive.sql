update mail_queue
set state = 'waiting', attempts = 0, next_at = $1, settled_at = null
where state = 'failed' and sealed <> '' and expires_at > $1
