select id
from chat_sessions
where
    id in (
        select r.session_id
        from runs r
        where
            r.workspace_id = $1
            and ($2::uuid is null or r.user_id = $2)
            and r.status in ('queued', 'running', 'awaiting_approval')
    )
order by id
for no key update
