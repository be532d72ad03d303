update run_events
set body = replace(body, $2, $3)
where run_id = $1 and replace(body, $2, $3) <> body
