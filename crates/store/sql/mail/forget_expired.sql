update mail_queue
set sealed = ''
where state = 'failed' and sealed <> '' and (expires_at is null or expires_at <= $1)
