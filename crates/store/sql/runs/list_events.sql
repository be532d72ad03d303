select run_id, seq, at, body
from run_events
where run_id = $1 and seq > $2
order by seq
limit $3
