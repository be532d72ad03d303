select id, workspace_id, user_id, title, question, pinned, created_at, updated_at
from saved_questions
where workspace_id = $1 and user_id = $2
order by id desc
limit $3
