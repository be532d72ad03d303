update documents
set title = $4, folder = $5, size = $6, title_words = $7, words = $8, version = version + 1
where workspace_id = $1 and id = $2 and version = $3 and trashed_at is null
