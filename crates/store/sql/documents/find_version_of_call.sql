select document_id, number
from document_versions
where workspace_id = $1 and call_id = $2
