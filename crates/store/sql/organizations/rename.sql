update workspaces
set name = $2
where id = $1 and kind = 'organization'
