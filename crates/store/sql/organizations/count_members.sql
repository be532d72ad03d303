select count(*) as members
from memberships
where workspace_id = $1
