delete from access_tokens
where workspace_id = $1 and user_id = $2
