select
    (select count(*) from runs where claim_at <= $1) as ready,
    (select min(claim_at) from runs where claim_at <= $1) as oldest_ready,
    (select count(*) from approvals where status = 'pending') as pending_approvals
