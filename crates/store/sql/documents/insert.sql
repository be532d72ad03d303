insert into documents (id, workspace_id, title, folder, version, size, title_words, words, created_by, created_at)
select $1, w.id, $3, $4, 1, $5, $6, $7, $8, $9
from workspaces w
where w.id = $2 and (select count(*) from documents d where d.workspace_id = $2) < $10
