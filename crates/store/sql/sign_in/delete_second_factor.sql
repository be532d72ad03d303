delete from second_factors
where user_id = $1
