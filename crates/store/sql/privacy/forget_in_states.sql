update run_checkpoints
set state = replace(state, $2, $3)
where run_id = $1 and replace(state, $2, $3) <> state
