update document_versions
set agent = null
where written_by = $1
