select
    id, workspace_id, network, state, enabled, sandbox, sealed, accounts, message, version, created_by, created_at,
    last_verified_at, abilities, made, label, consented_by
from connections
where workspace_id = $1 or consented_by = $2
order by network, created_at, id
