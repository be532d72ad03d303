delete from invitations
where email_key = $1
