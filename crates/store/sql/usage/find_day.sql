select input_tokens, output_tokens, cost_micros, calls
from workspace_usage
where workspace_id = $1 and day = $2
