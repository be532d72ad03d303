update connections
set created_by = (
    select m.user_id from memberships m
    where m.workspace_id = connections.workspace_id and m.role = 'owner'
)
where created_by = $1 and workspace_id <> $2
