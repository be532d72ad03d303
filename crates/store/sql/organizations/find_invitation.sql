select
    i.id, i.workspace_id, i.email, i.email_key, i.role, i.status, i.invited_by, i.created_at, i.expires_at, i.mail_id, i.mailed_at,
    i.mails
from invitations i
where i.id = $1
