select
    i.id, i.workspace_id, i.email, i.email_key, i.role, i.status, i.invited_by, i.created_at, i.expires_at, i.mail_id, i.mailed_at,
    i.mails,
    u.name as invited_by_name, q.state as mail_state, q.last_error as mail_error
from invitations i
left join users u on u.id = i.invited_by
left join mail_queue q on q.id = i.mail_id
where i.workspace_id = $1 and i.status = 'pending'
order by case when i.expires_at > $2 then 0 else 1 end, i.created_at desc, i.id desc
limit $3
