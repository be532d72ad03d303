select count(*) as pending
from approvals
where workspace_id = $1 and (user_id = $2 or $3 and source <> 'native') and status = 'pending'
