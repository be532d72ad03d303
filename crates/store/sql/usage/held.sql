select cast(coalesce(sum(cost_micros), 0) as bigint) as held_micros
from usage_reservations
where workspace_id = $1 and day = $2 and run_id <> $3 and expires_at > $4
