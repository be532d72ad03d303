-- Personal access tokens. Only a digest of the secret is kept; hint is how the token begins, by which its person tells it from others.
create table access_tokens (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    name text not null,
    hint text not null,
    secret_hash text not null,
    scopes text not null,
    created_at bigint not null,
    expires_at bigint,
    last_used_at bigint,
    constraint access_tokens__secret_hash unique (secret_hash)
);

create index access_tokens_by_user on access_tokens (workspace_id, user_id, id);
