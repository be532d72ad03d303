insert into workspace_usage (workspace_id, day)
values ($1, $2)
on conflict (workspace_id, day) do update set calls = workspace_usage.calls
returning input_tokens, output_tokens, cost_micros, calls
