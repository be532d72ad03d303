select r.id, r.finished_at
from runs r
where
    r.finished_at is not null
    and not r.thinned
    and r.finished_at < $1
    and (r.finished_at, r.id) > ($2, $3)
    and ($5 is null or r.workspace_id = $5)
    and exists (select 1 from chat_sessions s where s.id = r.session_id and not s.kept)
order by r.finished_at, r.id
limit $4
