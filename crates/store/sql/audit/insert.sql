insert into audit_log (workspace_id, user_id, action, target, detail, at, number, who_salt, who, what_salt, what, hash)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
