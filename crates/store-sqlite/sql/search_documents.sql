select d.id, d.workspace_id, d.title, d.folder, d.version, d.size, b.name as by_name, d.created_at, d.trashed_at, v.written_by, w.name as written_name,
    v.agent, v.at, r.id as run_id, r.user_id as run_user_id
from documents d
join document_versions v on v.document_id = d.id and v.number = d.version
left join users b on b.id = d.created_by
left join users w on w.id = v.written_by
left join tool_calls c on c.id = v.call_id and c.workspace_id = v.workspace_id
left join runs r on r.id = c.run_id
where d.workspace_id = $1 and d.trashed_at is null and d.place in (select rowid from document_words where document_words match $2)
order by case when d.place in (select rowid from document_words where document_words match $3) then 0 else 1 end, v.at desc, d.id desc
limit $4
