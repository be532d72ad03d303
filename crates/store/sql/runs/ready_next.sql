update runs
set claim_at = coalesce((select e.finished_at from runs e where e.id = $1), created_at)
where
    id = (
        select n.id from runs n
        where
            n.lane = (select e.lane from runs e where e.id = $1)
            and n.status = 'queued'
            and n.lease_owner is null
            and n.claim_at is null
        order by n.id
        limit 1
    )
    and status = 'queued'
    and lease_owner is null
    and claim_at is null
    and exists (select 1 from runs e where e.id = $1 and e.status not in ('queued', 'running'))
    and not exists (
        select 1 from runs o
        where
            o.lane = runs.lane
            and (
                o.status = 'running'
                or (
                    o.status in ('queued', 'awaiting_approval')
                    and (o.lease_owner is not null or o.claim_at is not null)
                )
            )
    )
