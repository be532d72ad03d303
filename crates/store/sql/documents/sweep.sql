delete from documents
where trashed_at < $1
