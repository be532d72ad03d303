update users
set name = $2
where id = $1
