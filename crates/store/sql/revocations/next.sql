select id, network as kind, sealed, attempts, next_at, cast(null as bigint) as expires_at
from revocations
where state = 'waiting' and next_at <= $1
order by next_at, id
limit 1
