insert into agents
    (
        id, workspace_id, owner_id, handle, name, called, position, description, active, sharing, journal, body, version, created_at,
        updated_at
    )
select $1, $2, u.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13
from users u
where u.id = $3 and (select count(*) from agents a where a.workspace_id = $2 and a.owner_id = $3) < $14
