select workspace_id, runs_days, checkpoints_days, audit_days
from workspace_retention
where workspace_id > $1
order by workspace_id
limit $2
