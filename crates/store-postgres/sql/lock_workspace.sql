select id
from workspaces
where id = $1
for no key update
