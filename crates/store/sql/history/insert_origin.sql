insert into run_origins (run_id, parent_id, parent_step, inherited_seq)
values ($1, $2, $3, $4)
