delete from document_versions
where workspace_id = $1 and document_id = $2 and number <= $3
