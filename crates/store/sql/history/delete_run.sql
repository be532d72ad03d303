delete from runs
where
    id = $1
    and finished_at is not null
    and not exists (select 1 from chat_sessions s where s.id = runs.session_id and s.kept)
    and not exists (select 1 from runs c where c.root_id = runs.id and c.parent_id is not null and c.finished_at is null)
