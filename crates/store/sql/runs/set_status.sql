update runs
set
    status = $2,
    finished_at = $3,
    claim_at = case when $4 then null else claim_at end
where id = $1 and lease_owner is null and status in ($5, $6, $7, $8, $9, $10, $11)
returning parent_id
