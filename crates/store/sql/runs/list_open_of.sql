select
    id, workspace_id, user_id, agent_id, trigger_id, kind, class, lane, subject, parent_id, parent_path, root_id, depth, status, model,
    epoch, cancel_requested, last_seq, answer, input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at,
    lease_until, context
from runs
where
    workspace_id = $1
    and ($2 is null or user_id = $2)
    and status in ('queued', 'running', 'awaiting_approval')
order by depth desc, id
