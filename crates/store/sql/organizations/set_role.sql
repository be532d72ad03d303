update memberships
set role = $4
where workspace_id = $1 and user_id = $2 and role = $3
