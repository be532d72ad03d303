delete from runs
where
    id = $1
    and finished_at is not null
    and exists (select 1 from chat_sessions s where s.id = runs.session_id and not s.kept)
