select 1 as held
from runs
where id = $1 and lease_owner = $2 and epoch = $3
for no key update
