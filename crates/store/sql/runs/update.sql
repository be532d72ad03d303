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
    claim_at = case when $11 then null else claim_at end
where id = $1 and lease_owner = $2 and epoch = $3
returning parent_id, status
