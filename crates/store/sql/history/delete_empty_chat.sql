delete from chat_sessions
where
    id = $1
    and not kept
    and updated_at < $2
    and not exists (select 1 from messages m where m.session_id = $1)
    and not exists (select 1 from runs r where r.session_id = $1)
