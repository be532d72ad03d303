update runs
set
    lease_until = $4,
    claim_at = case when finished_at is null then $4 else null end
where id = $1 and lease_owner = $2 and epoch = $3
