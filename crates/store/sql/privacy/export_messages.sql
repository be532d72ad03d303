select
    id as mark_id, 0 as mark_number, id, workspace_id, session_id, run_id, content, created_at, rating, rating_comment
from messages
where author_id = $1 and id > $2 and $3 >= 0
order by id
limit $4
