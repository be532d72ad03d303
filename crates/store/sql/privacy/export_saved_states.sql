select c.run_id as mark_id, c.step as mark_number, c.id, c.run_id, c.step, c.seq, c.node, c.state, c.created_at
from runs r
join run_checkpoints c on c.run_id = r.id
where
    r.user_id = $1
    and exists (select 1 from memberships m where m.workspace_id = r.workspace_id and m.user_id = $1)
    and (c.run_id, c.step) > ($2, $3)
order by c.run_id, c.step
limit $4
