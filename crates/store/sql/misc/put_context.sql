insert into context_settings (workspace_id, user_id, settings, updated_at)
values ($1, $2, $3, $4)
on conflict (workspace_id, user_id) do update set settings = excluded.settings, updated_at = excluded.updated_at
