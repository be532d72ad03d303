select id
from connections
where workspace_id = $1
order by id
for update
