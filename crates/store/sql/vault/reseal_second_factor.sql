update second_factors
set sealed = $3
where user_id = $1 and sealed = $2
