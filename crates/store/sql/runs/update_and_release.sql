update runs
set
    status = coalesce($4, status),
    answer = coalesce($5, answer),
    input_tokens = input_tokens + $6,
    output_tokens = output_tokens + $7,
    cost_micros = cost_micros + $8,
    started_at = coalesce(started_at, $9),
    finished_at = coalesce($10, finished_at),
    takeovers = 0,
    claim_at = case
        when coalesce($4, status) in ('completed', 'failed', 'stopped', 'cancelled') then null
        when $11 is null then woken_at
        when woken_at is null or $11 < woken_at then $11
        else woken_at
    end,
    woken_at = null,
    lease_owner = null,
    lease_until = null
where id = $1 and lease_owner = $2 and epoch = $3
returning parent_id, status
