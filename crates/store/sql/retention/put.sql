insert into workspace_retention (workspace_id, runs_days, checkpoints_days, audit_days, updated_at)
values ($1, $2, $3, $4, $5)
on conflict (workspace_id) do update set
    runs_days = excluded.runs_days,
    checkpoints_days = excluded.checkpoints_days,
    audit_days = excluded.audit_days,
    updated_at = excluded.updated_at
