select workspace_id as mark_id, 0 as mark_number, workspace_id, settings, updated_at
from context_settings
where user_id = $1 and workspace_id > $2 and $3 >= 0
order by workspace_id
limit $4
