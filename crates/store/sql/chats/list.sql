select
    s.id, s.workspace_id, s.user_id, s.title, s.chat_only, s.created_at, s.updated_at, s.kept, s.shared_at is not null as shared,
    exists (
        select 1 from runs r
        where r.session_id = s.id and r.status in ('queued', 'running', 'awaiting_approval')
    ) as busy,
    exists (
        select 1 from runs r
        where r.session_id = s.id and r.status = 'awaiting_approval'
    ) as awaiting_approval
from chat_sessions s
where
    s.workspace_id = $1
    and s.user_id = $2
    and s.home_question is null
    and ($3 is null or (s.updated_at, s.id) < ($3, $4))
    and (
        $6 is null
        or lower(s.title) like lower($6) escape '\'
        or exists (
            select 1 from messages m
            where
                m.session_id = s.id
                and lower(m.content) like lower($6) escape '\'
                and not exists (select 1 from runs r where r.id = m.run_id and r.parent_id is not null)
        )
    )
order by s.updated_at desc, s.id desc
limit $5
