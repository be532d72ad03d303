select
    id, workspace_id, user_id, run_id, status, digest, view, answered_at, answered_by_name, edited_args, sent, reason
from approvals
where
    workspace_id = $1
    and ($2 is null or user_id = $2)
    and ($3 is null or status = $3)
    and ($4 is null or id < $4)
order by id desc
limit $5
