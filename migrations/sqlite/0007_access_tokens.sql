-- Personal access tokens. Only a digest of the secret is kept; hint is how the token begins, by which its person tells it from others.
create table access_tokens (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    name text not null,
    hint text not null,
    secret_hash text not null,
    scopes text not null,
    created_at integer not null,
    expires_at integer,
    last_used_at integer,
    constraint access_tokens__secret_hash unique (secret_hash)
) strict;

create index access_tokens_by_user on access_tokens (workspace_id, user_id, id);
