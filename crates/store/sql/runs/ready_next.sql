update runs
set claim_at = created_at
where
    id = (
        select n.id from runs n
        where
            n.session_id = (select e.session_id from runs e where e.id = $1)
            and n.status in ('queued', 'running', 'awaiting_approval')
        order by n.id
        limit 1
    )
    and status = 'queued'
    and lease_owner is null
    and claim_at is null
