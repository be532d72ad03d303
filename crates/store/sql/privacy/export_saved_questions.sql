select id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, title, question, pinned, created_at, updated_at
from saved_questions
where user_id = $1 and id > $2 and $3 >= 0
order by id
limit $4
