insert into agent_versions (agent_id, version, workspace_id, user_id, body, created_at)
select a.id, a.version, a.workspace_id, $3, a.body, $4
from agents a
where a.workspace_id = $1 and a.id = $2
