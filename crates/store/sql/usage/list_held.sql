select question, model, input_tokens, output_tokens, cost_micros
from usage_reservations
where run_id = $1
order by question
