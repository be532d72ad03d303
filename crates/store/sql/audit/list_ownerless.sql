select h.workspace_id
from audit_heads h
where
    h.workspace_id > $1
    and not exists (select 1 from workspaces w where w.id = h.workspace_id)
    and (h.unchained > h.unchained_gone or h.number > 1 and h.pruned < h.number - 1)
order by h.workspace_id
limit $2
