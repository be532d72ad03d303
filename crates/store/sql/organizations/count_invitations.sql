select count(*) as invitations
from invitations
where workspace_id = $1 and status = 'pending' and expires_at > $2
