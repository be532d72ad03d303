select id, sealed
from revocations
where sealed <> '' and id > $1
order by id
limit $2
