select
    s.id, s.workspace_id, s.user_id, s.title, s.chat_only, s.created_at, s.updated_at, s.kept, s.shared_at is not null as shared,
    exists (
        select 1 from runs r
        where r.session_id = s.id and r.status in ('queued', 'running', 'awaiting_approval')
    ) as busy,
    exists (
        select 1 from runs r
        where r.session_id = s.id and r.status = 'awaiting_approval'
    ) as awaiting_approval,
    u.name as owner_name
from chat_sessions s
join users u on u.id = s.user_id
join memberships m on m.workspace_id = s.workspace_id and m.user_id = s.user_id
where s.workspace_id = $1 and s.shared_at is not null
order by s.shared_at desc, s.id desc
limit $2
