insert into run_events (run_id, seq, at, body)
values ($1, $2, $3, $4)
