with recursive above (id, parent_id, lane) as (
    select r.id, r.parent_id, r.lane from runs r
    where r.id = $12
    union all
    select r.id, r.parent_id, r.lane from above a
    join runs r on r.id = a.parent_id
)
insert into runs (
    id, workspace_id, user_id, agent_id, trigger_id, kind, class, lane, subject, session_id, message_id, parent_id, parent_path,
    root_id, depth, status, cancel_requested, model, created_at, claim_at, context
)
select
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, p.id, $13, coalesce(p.root_id, $1), coalesce(p.depth + 1, 0), 'queued',
    case when p.cancel_requested then true else false end, $14, $15,
    case
        when exists (
            select 1 from runs o
            where
                o.lane = $8
                and (
                    o.status in ('queued', 'running')
                    or (o.status = 'awaiting_approval' and (o.lease_owner is not null or o.claim_at is not null))
                )
        ) then null
        else $16
    end,
    $17
from (select 1 as one) as one
left join runs p on p.id = $12
where
    case
        when $10 is null then exists (select 1 from memberships m where m.workspace_id = $2 and m.user_id = $3)
        else exists (select 1 from chat_sessions s where s.id = $10 and s.workspace_id = $2 and s.user_id = $3)
    end
    and ($12 is null or (p.workspace_id = $2 and p.user_id = $3 and p.status in ('queued', 'running', 'awaiting_approval')))
    and not exists (select 1 from above a where a.lane = $8)
returning claim_at is not null as ready
