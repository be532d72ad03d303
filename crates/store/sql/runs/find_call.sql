select id, run_id, workspace_id, name, read_only, args, digest, status, result, artifact, created_at, updated_at
from tool_calls
where run_id = $1 and id = $2
