select id, workspace_id, user_id, name, hint, scopes, created_at, expires_at, last_used_at
from access_tokens
where secret_hash = $1
