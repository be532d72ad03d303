select id, step, seq, node, created_at
from run_checkpoints
where run_id = $1
order by step
