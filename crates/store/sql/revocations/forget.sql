delete from revocations
where workspace_id = $1 and id = $2 and state = 'failed'
