update failed_sign_ins
set noted_at = $3
where user_id = $1 and address = $2 and (noted_at is null or noted_at <= $4)
