select v.document_id as mark_id, v.number as mark_number, v.document_id, v.workspace_id, v.number, v.title, v.folder, v.agent, v.at, v.text
from document_versions v
where v.written_by = $1
    and exists (select 1 from memberships m where m.workspace_id = v.workspace_id and m.user_id = $1)
    and (v.document_id, v.number) > ($2, $3)
order by v.document_id, v.number
limit $4
