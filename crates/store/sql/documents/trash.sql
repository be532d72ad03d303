update documents
set trashed_at = $3
where workspace_id = $1 and id = $2 and trashed_at is null
