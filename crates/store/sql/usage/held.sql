select cast(coalesce(sum(cost_micros), 0) as bigint) as held_micros
from usage_reservations
where workspace_id = $1 and day = $2 and not (run_id = $3 and question = $4) and expires_at > $5
