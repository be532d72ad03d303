-- An agent is named where the text gets shorter without its name or its handle.
select a.id, a.handle, a.name, a.position, a.description
from agents a
where a.workspace_id = $1 and a.active = $5 and (a.owner_id = $2 or a.sharing <> 'private')
order by
    case
        when
            replace($4, a.called, '') <> $4
            or replace($4, a.handle, '') <> $4
            or replace($4, replace(replace(a.handle, '-', ' '), '_', ' '), '') <> $4
            then 0
        else 1
    end,
    case when a.owner_id = $2 then 0 else 1 end,
    a.handle,
    a.id
limit $3
