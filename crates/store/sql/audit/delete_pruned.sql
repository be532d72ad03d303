delete from audit_log
where workspace_id = $1 and (number is null or number <= $2)
