select $2 as mark_id, id as mark_number, workspace_id, action, target, detail, at
from audit_log
where user_id = $1 and id > $3
order by id
limit $4
