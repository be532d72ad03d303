select m.id, m.session_id, u.name as author_name, m.author_id, m.created_at, m.rating, m.rating_comment
from messages m
join users u on u.id = m.author_id
where m.workspace_id = $1 and m.rating is not null
order by m.id desc
limit $2
