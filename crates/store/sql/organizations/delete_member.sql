delete from memberships
where workspace_id = $1 and user_id = $2 and role <> 'owner'
