select m.id, m.session_id, m.run_id, u.name as author_name, m.content, m.created_at, m.rating, r.asked_key
from messages m
join users u on u.id = m.author_id
left join runs r on r.id = m.run_id
where m.workspace_id = $1 and m.session_id = $2 and r.parent_id is null and ($3 is null or m.id < $3)
order by m.id desc
limit $4
