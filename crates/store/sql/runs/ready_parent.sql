update runs
set
    claim_at = case
        when lease_owner is not null then claim_at
        when claim_at is null or $2 < claim_at then $2
        else claim_at
    end,
    woken_at = case
        when lease_owner is null then null
        when woken_at is null or $2 < woken_at then $2
        else woken_at
    end
where
    id = $1
    and (
        status = 'running'
        or (status = 'awaiting_approval' and $3 = 'ended')
        or (status = 'queued' and lease_owner is not null)
    )
