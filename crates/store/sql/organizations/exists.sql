select id
from workspaces
where id = $1
