update invite_links
set deactivated_at = $3
where workspace_id = $1 and id = $2 and deactivated_at is null
