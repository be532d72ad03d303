select id, email, name, password_hash, personal_workspace_id, created_at, email_verified_at
from users
where id = $1
