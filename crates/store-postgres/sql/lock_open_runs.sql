with recursive below (id) as (
    select r.id from runs r
    where r.workspace_id = $1 and r.lane = $2
    union
    select c.id from below b
    join runs c on c.parent_id = b.id
)
select
    id, workspace_id, user_id, agent_id, trigger_id, kind, class, lane, subject, parent_id, parent_path, root_id, depth, status, model,
    epoch, cancel_requested, last_seq, answer, input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at,
    lease_until, context
from runs
where id in (select b.id from below b) and status in ('queued', 'running', 'awaiting_approval')
order by depth desc, id
for no key update
