insert into audit_log (workspace_id, user_id, action, target, detail, at)
values ($1, $2, $3, $4, $5, $6)
