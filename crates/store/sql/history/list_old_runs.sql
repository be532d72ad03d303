select r.id, r.session_id, r.message_id, r.finished_at
from runs r
where
    r.finished_at is not null
    and r.finished_at < $1
    and (r.finished_at, r.id) > ($2, $3)
    and ($5 is null or r.workspace_id = $5)
    and r.parent_id is null
    and not exists (select 1 from chat_sessions s where s.id = r.session_id and s.kept)
    and not exists (select 1 from runs c where c.root_id = r.id and c.parent_id is not null and c.finished_at is null)
order by r.finished_at, r.id
limit $4
