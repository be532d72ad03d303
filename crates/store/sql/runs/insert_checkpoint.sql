insert into run_checkpoints (id, run_id, step, seq, node, state, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
