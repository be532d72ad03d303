select
    id, workspace_id, user_id, agent_id, trigger_id, kind, class, lane, subject, parent_id, parent_path, root_id, depth, status, model,
    epoch, cancel_requested, last_seq, answer, input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at,
    lease_until, context, claim_at
from runs
where
    id = coalesce(
        (select r.id from runs r where r.class = $1 and r.claim_at <= $3 order by r.claim_at, r.id limit 1),
        (select r.id from runs r where r.class = $2 and r.claim_at <= $3 order by r.claim_at, r.id limit 1)
    )
