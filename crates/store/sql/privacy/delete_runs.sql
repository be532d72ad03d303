delete from runs
where user_id = $1
