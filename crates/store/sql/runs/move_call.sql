update tool_calls
set
    status = $3,
    args = coalesce($4, args),
    digest = coalesce($5, digest),
    result = coalesce($6, result),
    artifact = coalesce($7, artifact),
    updated_at = $8
where run_id = $1 and id = $2 and status in ($9, $10, $11, $12, $13, $14, $15)
