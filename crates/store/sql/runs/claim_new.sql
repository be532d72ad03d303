update runs
set
    lease_owner = $2,
    lease_until = $3,
    claim_at = $3,
    epoch = epoch + 1
where id = $1 and status = 'queued' and epoch = 0 and lease_owner is null
returning epoch
