update invitations
set status = 'revoked', answered_at = $3
where
    workspace_id = $1
    and status = 'pending'
    and (invited_by = $2 or email_key = (select u.email_key from users u where u.id = $2))
