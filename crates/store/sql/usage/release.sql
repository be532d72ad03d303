delete from usage_reservations
where run_id = $1 and question = $2
