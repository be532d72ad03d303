delete from usage_reservations
where
    expires_at <= $1
    and not exists (
        select 1 from runs r
        where r.id = usage_reservations.run_id and r.lease_owner is not null and r.finished_at is null
    )
