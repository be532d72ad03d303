insert into memberships (workspace_id, user_id, role, created_at)
values ($1, $2, $3, $4)
on conflict (workspace_id, user_id) do nothing
