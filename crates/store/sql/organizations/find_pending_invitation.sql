select
    i.id, i.workspace_id, i.email, i.email_key, i.role, i.status, i.invited_by, i.created_at, i.expires_at, i.mail_id, i.mailed_at,
    i.mails
from invitations i
where i.workspace_id = $1 and i.email_key = $2 and i.status = 'pending'
