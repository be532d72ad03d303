select id
from audit_log
where workspace_id = $1 and number is null and at < $2
limit 1
