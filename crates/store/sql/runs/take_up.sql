update runs
set
    status = 'queued',
    claim_at = case
        when claim_at is not null and claim_at < $2 then claim_at
        when claim_at is not null then $2
        when exists (
            select 1 from runs o
            where
                o.lane = runs.lane
                and o.id <> runs.id
                and (
                    o.status = 'running'
                    or (
                        o.status in ('queued', 'awaiting_approval')
                        and (o.lease_owner is not null or o.claim_at is not null)
                    )
                )
        ) then null
        else $2
    end
where id = $1 and status = 'awaiting_approval' and lease_owner is null
returning claim_at is not null as ready
