select run_id, seq, at, body
from run_events
where run_id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
order by run_id, seq
