select distinct run_id, answered_by_name
from approvals
where answered_by = $1 and user_id <> $1 and answered_by_name is not null
