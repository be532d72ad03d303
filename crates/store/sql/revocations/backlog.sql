select
    count(case when state = 'waiting' then 1 end) as waiting,
    count(case when state = 'failed' then 1 end) as failed
from revocations
