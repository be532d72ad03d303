delete from agents
where workspace_id = $1 and id = $2
