update invite_links
set deactivated_at = $2
where
    workspace_id = $1
    and deactivated_at is null
    and (expires_at is null or expires_at > $2)
    and (max_uses is null or uses < max_uses)
