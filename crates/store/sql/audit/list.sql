select
    a.id, a.workspace_id, a.user_id, a.action, a.target, a.detail, a.at, a.number, a.who_salt, a.who, a.what_salt, a.what,
    a.hash, u.name as user_name
from audit_log a
left join users u on u.id = a.user_id
where
    a.workspace_id = $1
    and a.id < $2
    and a.at >= $3
    and a.at < $4
    and ($5 = '' or a.action = $5 or substr(a.action, 1, length($5) + 1) = $5 || '.')
    and ($6 is null or a.user_id = $6)
order by a.id desc
limit $7
