select
    id, workspace_id, user_id, run_id, status, digest, view, answered_at, answered_by_name, edited_args, sent, reason
from approvals
where workspace_id = $1 and id = $2
