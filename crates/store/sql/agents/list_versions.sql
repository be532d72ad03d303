select v.agent_id as id, v.version, v.user_id, coalesce(u.name, '') as by_name, v.body, v.created_at
from agent_versions v
left join users u on u.id = v.user_id
where v.workspace_id = $1 and v.agent_id = $2
order by v.version desc
limit $3
