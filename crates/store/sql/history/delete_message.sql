delete from messages
where id = $1
