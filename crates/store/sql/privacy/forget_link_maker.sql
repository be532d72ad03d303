update invite_links
set created_by = $2
where created_by = $1
