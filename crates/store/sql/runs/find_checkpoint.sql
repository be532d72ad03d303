select id, run_id, step, seq, node, state, created_at
from run_checkpoints
where run_id = $1 and id = $2
