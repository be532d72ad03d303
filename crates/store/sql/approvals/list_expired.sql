select
    id, workspace_id, user_id, run_id, status, digest, view, answered_at, answered_by_name, edited_args, sent, reason
from approvals
where status = 'pending' and expires_at <= $1
order by expires_at, id
limit $2
