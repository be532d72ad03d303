select lane
from runs
where id = $1
