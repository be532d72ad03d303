select m.id, m.session_id, m.run_id, u.name as author_name, m.content, m.created_at, m.rating, r.asked_key, r.answer, r.status as run_status
from messages m
join users u on u.id = m.author_id
left join runs r on r.id = m.run_id
where m.workspace_id = $1 and m.session_id = $2 and case when $5 is null then r.parent_id is null else r.agent_id = $5 end and m.id < $3
order by m.id desc
limit $4
