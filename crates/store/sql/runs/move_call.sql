update tool_calls
set
    status = $3,
    args = coalesce($4, args),
    digest = coalesce($5, digest),
    result = coalesce($6, result),
    updated_at = $7
where run_id = $1 and id = $2 and status in ($8, $9, $10, $11, $12, $13, $14)
