insert into workspaces (id, kind, name, slug, created_at)
values ($1, $2, $3, $4, $5)
