create table if not exists schema_migrations (
    version bigint not null primary key,
    name text not null
)
