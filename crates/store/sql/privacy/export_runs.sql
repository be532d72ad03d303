select
    id as mark_id, cast(0 as bigint) as mark_number, id, workspace_id, kind, class, subject, agent_id, trigger_id, session_id, message_id,
    parent_id, parent_path, status, model, context, answer, input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at
from runs
where user_id = $1
    and exists (select 1 from memberships m where m.workspace_id = runs.workspace_id and m.user_id = $1)
    and id > $2 and $3 >= 0
order by id
limit $4
