select user_id as id, sealed
from second_factors
where user_id = $1
