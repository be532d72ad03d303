insert into access_tokens (id, workspace_id, user_id, name, hint, secret_hash, scopes, created_at, expires_at)
select $1, $2, u.id, $4, $5, $6, $7, $8, $9
from users u
where u.id = $3 and (select count(*) from access_tokens t where t.workspace_id = $2 and t.user_id = $3) < $10
