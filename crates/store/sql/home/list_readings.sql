select
    s.id as session_id, s.home_question, s.home_basis, r.id as run_id, r.message_id, r.status, r.created_at, r.finished_at
from chat_sessions s
join runs r on r.session_id = s.id
where s.workspace_id = $1 and s.user_id = $2 and s.home_question is not null and r.parent_id is null
order by r.created_at desc, r.id desc
limit $3
