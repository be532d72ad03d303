select id, workspace_id, connection_id, network, sandbox, created_at, last_error
from revocations
where workspace_id = $1 and state = 'failed' and sandbox = false
order by created_at desc, id desc
limit $2
