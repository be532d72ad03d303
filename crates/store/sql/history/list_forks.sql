select o.run_id, o.parent_step, r.status, r.created_at, m.content as question
from run_origins o
join runs r on r.id = o.run_id
left join messages m on m.id = r.message_id
where r.workspace_id = $1 and r.user_id = $2 and o.parent_id = $3
order by o.run_id
limit $4
