select
    i.id, i.workspace_id, i.email, i.email_key, i.role, i.status, i.invited_by, i.created_at, i.expires_at, i.mail_id, i.mailed_at,
    i.mails,
    w.name as organization, u.name as invited_by_name
from invitations i
join workspaces w on w.id = i.workspace_id
left join users u on u.id = i.invited_by
where i.email_key = $1 and i.status = 'pending' and i.expires_at > $2
order by i.created_at, i.id
limit $3
