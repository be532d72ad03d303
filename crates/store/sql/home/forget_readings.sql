delete from chat_sessions
where
    workspace_id = $1
    and user_id = $2
    and home_question = $3
    and id <> $4
    and created_at < $5
    and not exists (
        select 1 from runs r
        where r.session_id = chat_sessions.id and r.status in ('queued', 'running', 'awaiting_approval')
    )
