update approvals
set
    status = $3,
    answered_by = $4,
    answered_by_name = $5,
    answered_at = $6,
    edited_args = $7,
    digest = $8,
    reason = $9,
    sent = $10
where workspace_id = $1 and id = $2 and status = 'pending'
