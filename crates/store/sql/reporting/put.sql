insert into workspace_reporting (workspace_id, time_zone, updated_at)
values ($1, $2, $3)
on conflict (workspace_id) do update set
    time_zone = excluded.time_zone,
    updated_at = excluded.updated_at
