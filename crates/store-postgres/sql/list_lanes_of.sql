select distinct lane
from runs
where
    workspace_id = $1
    and ($2::uuid is null or user_id = $2)
    and status in ('queued', 'running', 'awaiting_approval')
order by lane
