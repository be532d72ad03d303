update invitations
set status = $2, answered_at = $3
where id = $1 and status = 'pending'
