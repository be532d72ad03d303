select run_id, parent_id, parent_step, inherited_seq
from run_origins
where parent_id = $1
order by run_id
limit $2
