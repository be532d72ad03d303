select agent_id
from runs
where workspace_id = $1 and user_id = $2 and session_id = $3 and parent_id is null
order by id desc
limit 1
