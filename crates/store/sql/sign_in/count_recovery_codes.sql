select count(*) as codes
from recovery_codes
where user_id = $1
