select l.id, l.workspace_id, l.role, l.sealed, l.created_by, l.created_at, l.expires_at, l.max_uses, l.uses, l.deactivated_at
from invite_links l
where l.workspace_id = $1 and l.deactivated_at is null
order by l.created_at desc, l.id desc
limit $2
