select time_zone
from workspace_reporting
where workspace_id = $1
