delete from usage_reservations
where run_id = $1
