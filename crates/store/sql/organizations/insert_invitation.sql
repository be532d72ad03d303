insert into invitations (
    id, workspace_id, email, email_key, role, status, invited_by, created_at, expires_at, mail_id, mailed_at, mails
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
