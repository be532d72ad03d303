select
    id, workspace_id, user_id, agent_id, trigger_id, kind, class, lane, subject, parent_id, parent_path, root_id, depth, status, model,
    epoch, cancel_requested, last_seq, answer, input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at,
    lease_until, context, claim_at
from runs
where class = $1 and claim_at <= $2 and (claim_at, id) > ($3, $4)
order by claim_at, id
limit 1
for no key update skip locked
