select r.id, r.finished_at
from runs r
where
    r.finished_at is not null
    and not r.thinned
    and r.finished_at < $1
    and (r.finished_at, r.id) > ($2, $3)
    and ($5 is null or r.workspace_id = $5)
    and not exists (
        select 1 from runs t
        join chat_sessions s on s.id = t.session_id
        where t.id = r.root_id and s.kept
    )
order by r.finished_at, r.id
limit $4
