delete from audit_log
where workspace_id = $1 and number <= $2
