update invitations
set invited_by = $2
where invited_by = $1
