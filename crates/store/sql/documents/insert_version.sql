insert into document_versions (document_id, workspace_id, number, title, folder, text, size, written_by, agent, call_id, at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
