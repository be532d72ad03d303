delete from failed_sign_ins
where last_at <= $1
