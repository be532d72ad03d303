select
    l.id, l.workspace_id, l.role, l.sealed, l.created_by, l.created_at, l.expires_at, l.max_uses, l.uses, l.deactivated_at,
    w.kind as organization_kind, w.name as organization_name, w.slug as organization_slug,
    w.created_at as organization_created_at
from invite_links l
join workspaces w on w.id = l.workspace_id
where l.token_hash = $1
