insert into second_factors (user_id, sealed, created_at)
values ($1, $2, $3)
on conflict (user_id) do update set sealed = excluded.sealed, created_at = excluded.created_at
where second_factors.confirmed_at is null
