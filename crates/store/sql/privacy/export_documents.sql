select d.id as mark_id, cast(0 as bigint) as mark_number, d.id, d.workspace_id, d.title, d.folder, d.version, d.created_at, d.trashed_at, v.text
from documents d
join document_versions v on v.document_id = d.id and v.number = d.version
where d.created_by = $1
    and exists (select 1 from memberships m where m.workspace_id = d.workspace_id and m.user_id = $1)
    and d.id > $2 and $3 >= 0
order by d.id
limit $4
