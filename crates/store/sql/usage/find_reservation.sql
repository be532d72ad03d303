select day
from usage_reservations
where run_id = $1
