update runs
set
    taken_from = lease_owner,
    takeovers = case when lease_owner is null then 0 else takeovers + 1 end,
    lease_owner = $2,
    lease_until = $3,
    claim_at = $3,
    woken_at = null,
    epoch = epoch + 1
where id = $1
returning epoch, taken_from, takeovers
