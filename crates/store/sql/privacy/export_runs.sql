select
    id as mark_id, 0 as mark_number, id, workspace_id, session_id, message_id, status, model, context, answer, input_tokens,
    output_tokens, cost_micros, created_at, started_at, finished_at
from runs
where user_id = $1 and id > $2 and $3 >= 0
order by id
limit $4
