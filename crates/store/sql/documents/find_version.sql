select v.number, v.title, v.folder, v.size, v.written_by, w.name as written_name, v.agent, v.at, r.id as run_id, r.user_id as run_user_id, v.text
from document_versions v
left join users w on w.id = v.written_by
left join tool_calls c on c.id = v.call_id and c.workspace_id = v.workspace_id
left join runs r on r.id = c.run_id
where v.workspace_id = $1 and v.document_id = $2 and v.number = $3
