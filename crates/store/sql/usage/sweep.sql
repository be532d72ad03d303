delete from usage_reservations
where expires_at <= $1
