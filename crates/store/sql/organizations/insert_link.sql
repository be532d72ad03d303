insert into invite_links (
    id, workspace_id, role, token_hash, sealed, created_by, created_at, expires_at, max_uses, uses, deactivated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
