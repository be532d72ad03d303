select
    id, workspace_id, user_id, run_id, status, digest, view, answered_at, answered_by_name, edited_args, sent, reason
from approvals
where
    workspace_id = $1
    and (user_id = $2 or $3 and source <> 'native')
    and ($4 is null or status = $4)
    and ($5 is null or id < $5)
order by id desc
limit $6
