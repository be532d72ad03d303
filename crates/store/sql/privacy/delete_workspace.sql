delete from workspaces
where id = $1 and kind = 'personal'
