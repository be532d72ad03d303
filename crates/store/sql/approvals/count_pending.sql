select count(*) as pending
from approvals
where workspace_id = $1 and ($2 is null or user_id = $2) and status = 'pending'
