insert into usage_reservations (run_id, workspace_id, day, cost_micros, expires_at)
values ($1, $2, $3, $4, $5)
on conflict (run_id) do update
set day = excluded.day, cost_micros = excluded.cost_micros, expires_at = excluded.expires_at
