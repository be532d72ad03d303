select count(*) as found
from audit_log
where workspace_id = $1 and number is null
