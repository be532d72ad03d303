insert into runs (id, workspace_id, user_id, session_id, message_id, status, model, created_at, claim_at, context)
select
    $1, $2, $3, s.id, $5, 'queued', $6, $7,
    case
        when exists (
            select 1 from runs o
            where
                o.session_id = s.id
                and (
                    o.status in ('queued', 'running')
                    or (o.status = 'awaiting_approval' and (o.lease_owner is not null or o.claim_at is not null))
                )
        ) then null
        else $8
    end,
    $9
from chat_sessions s
where s.id = $4 and s.workspace_id = $2 and s.user_id = $3
returning claim_at is not null as ready
