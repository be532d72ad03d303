select count(*) as taken from agents where workspace_id = $1 and owner_id = $2 and handle = $3
