insert into schema_migrations (version, name)
values ($1, $2)
