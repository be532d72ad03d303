select run_id, parent_id, parent_step, inherited_seq
from run_origins
where run_id = $1
