select workspace_id
from audit_heads
where workspace_id > $1
union
select workspace_id
from audit_log
where workspace_id > $1
order by workspace_id
limit $2
