insert into run_checkpoints (id, run_id, step, seq, node, state, created_at)
select $1, $2, $3, $4, $5, $6, $7
where $3 = 1 + coalesce((select max(c.step) from run_checkpoints c where c.run_id = $2), 0)
