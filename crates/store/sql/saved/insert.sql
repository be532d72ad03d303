insert into saved_questions (id, workspace_id, user_id, title, question, pinned, created_at, updated_at)
select $1, $2, u.id, $4, $5, $6, $7, $7
from users u
where u.id = $3 and (select count(*) from saved_questions q where q.workspace_id = $2 and q.user_id = $3) < $8
