select
    a.id, a.workspace_id, a.user_id, a.action, a.target, a.detail, a.at, a.number, a.who_salt, a.who, a.what_salt, a.what,
    a.hash, u.name as user_name
from audit_log a
left join users u on u.id = a.user_id
where a.workspace_id = $1 and a.number > $2
order by a.number
limit $3
