select id, workspace_id, user_id, action, target, detail, at
from audit_log
where workspace_id = $1
order by id desc
limit $2
