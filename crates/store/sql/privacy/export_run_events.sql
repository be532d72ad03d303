select e.run_id as mark_id, e.seq as mark_number, e.run_id, e.seq, e.at, e.body
from runs r
join run_events e on e.run_id = r.id
where
    r.user_id = $1
    and exists (select 1 from memberships m where m.workspace_id = r.workspace_id and m.user_id = $1)
    and (e.run_id, e.seq) > ($2, $3)
order by e.run_id, e.seq
limit $4
