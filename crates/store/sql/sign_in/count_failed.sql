insert into failed_sign_ins (user_id, address, attempts, first_at, last_at)
select $1, case
    when exists (select 1 from failed_sign_ins where user_id = $1 and address = $2) then $2
    when (select count(*) from failed_sign_ins where user_id = $1) < $4 then $2
    else ''
end, 1, $3, $3
where true
on conflict (user_id, address) do update set attempts = failed_sign_ins.attempts + 1, last_at = excluded.last_at
returning address, attempts, first_at, last_at
