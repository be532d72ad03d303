insert into usage_reservations (
    run_id, question, workspace_id, day, cost_micros, expires_at, model, input_tokens, output_tokens
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (run_id, question) do update
set
    day = excluded.day,
    cost_micros = excluded.cost_micros,
    expires_at = excluded.expires_at,
    model = excluded.model,
    input_tokens = excluded.input_tokens,
    output_tokens = excluded.output_tokens
