select
    coalesce(booked.input_tokens, 0) as input_tokens,
    coalesce(booked.output_tokens, 0) as output_tokens,
    coalesce(booked.cost_micros, 0) as cost_micros,
    coalesce(booked.calls, 0) as calls,
    reserved.held_micros
from (
    select cast(coalesce(sum(cost_micros), 0) as bigint) as held_micros
    from usage_reservations
    where workspace_id = $1 and day = $2 and expires_at > $3
) as reserved
left join workspace_usage as booked on booked.workspace_id = $1 and booked.day = $2
