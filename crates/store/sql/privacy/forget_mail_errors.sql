update mail_queue
set last_error = null
where replace(lower(last_error), $1, '') <> lower(last_error)
