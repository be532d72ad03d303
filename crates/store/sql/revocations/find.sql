select id, workspace_id, connection_id, network, sandbox, created_at, last_error
from revocations
where id = $1
