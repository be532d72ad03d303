update users
set name = name
where id = $1
