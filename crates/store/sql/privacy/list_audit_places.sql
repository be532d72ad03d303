select workspace_id
from memberships
where user_id = $1
union
select workspace_id
from audit_log
where user_id = $1
union
select workspace_id
from invitations
where email_key = $2
order by workspace_id
