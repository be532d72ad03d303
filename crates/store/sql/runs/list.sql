select
    id, workspace_id, user_id, agent_id, trigger_id, kind, class, lane, subject, parent_id, parent_path, root_id, depth, status, model,
    epoch, cancel_requested, last_seq, answer, input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at,
    lease_until, context
from runs
where
    workspace_id = $1
    and user_id = $2
    and parent_id is null
    and ($3 is null or id < $3)
    and not exists (select 1 from chat_sessions s where s.id = runs.session_id and s.home_question is not null)
order by id desc
limit $4
