delete from context_settings
where workspace_id = $1 and user_id = $2
