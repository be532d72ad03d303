update documents
set trashed_at = null
where workspace_id = $1 and id = $2 and trashed_at is not null
