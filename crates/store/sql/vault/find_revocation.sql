select id, sealed
from revocations
where sealed <> '' and id = $1
