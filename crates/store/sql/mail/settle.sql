update mail_queue
set state = $3, last_error = $4, settled_at = $5, sealed = case when $6 then sealed else '' end
where id = $1 and attempts = $2 and state = 'waiting'
