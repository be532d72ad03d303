select id as mark_id, 0 as mark_number, id, workspace_id, name, hint, scopes, created_at, expires_at, last_used_at
from access_tokens
where user_id = $1 and id > $2 and $3 >= 0
order by id
limit $4
