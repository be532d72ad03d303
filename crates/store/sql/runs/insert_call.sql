insert into tool_calls (
    id, run_id, workspace_id, name, read_only, args, digest, status, result, artifact, created_at, updated_at
)
select $1, r.id, r.workspace_id, $4, $5, $6, $7, $8, $9, $10, $11, $12
from runs r
where r.id = $2 and r.workspace_id = $3
