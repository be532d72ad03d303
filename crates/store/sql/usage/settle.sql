insert into workspace_usage (workspace_id, day, input_tokens, output_tokens, cost_micros, calls)
values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id, day) do update
set
    input_tokens = workspace_usage.input_tokens + excluded.input_tokens,
    output_tokens = workspace_usage.output_tokens + excluded.output_tokens,
    cost_micros = workspace_usage.cost_micros + excluded.cost_micros,
    calls = workspace_usage.calls + excluded.calls
