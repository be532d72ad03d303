update runs
set
    claim_at = case
        when status in ('completed', 'failed', 'stopped', 'cancelled') then null
        when $4 is null then woken_at
        when woken_at is null or $4 < woken_at then $4
        else woken_at
    end,
    woken_at = null,
    lease_owner = null,
    lease_until = null
where id = $1 and lease_owner = $2 and epoch = $3
