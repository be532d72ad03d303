update invitations
set mail_id = $2, mailed_at = $3, expires_at = $4, mails = mails + 1
where id = $1 and status = 'pending'
