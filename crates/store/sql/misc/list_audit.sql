select id, workspace_id, user_id, action, target, detail, at
from audit_log
where workspace_id = $1
order by at desc, id desc
limit $2
