delete from oauth_attempts
where workspace_id = $1 and user_id = $2
