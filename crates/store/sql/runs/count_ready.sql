select count(*) as ready
from runs
where claim_at <= $1
