select id, workspace_id, user_id, name, hint, scopes, created_at, expires_at, last_used_at
from access_tokens
where workspace_id = $1 and user_id = $2
order by id desc
limit $3
