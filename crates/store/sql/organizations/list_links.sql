select l.id, l.workspace_id, l.role, l.sealed, l.created_by, l.created_at, l.expires_at, l.max_uses, l.uses, l.deactivated_at
from invite_links l
where l.workspace_id = $1 and l.deactivated_at is null
order by
    case when (l.expires_at is null or l.expires_at > $2) and (l.max_uses is null or l.uses < l.max_uses) then 0 else 1 end,
    l.created_at desc, l.id desc
limit $3
