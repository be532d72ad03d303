-- Everything the main path stores. Instants are microseconds since 1970 (UTC); JSON is text; both engines read the same statements.

create table workspaces (
    id uuid not null primary key,
    kind text not null check (kind in ('personal', 'organization')),
    name text not null,
    slug text not null,
    created_at bigint not null,
    constraint workspaces__slug unique (slug)
);

create table users (
    id uuid not null primary key,
    email text not null,
    email_key text not null,
    name text not null,
    password_hash text not null,
    personal_workspace_id uuid not null references workspaces (id),
    created_at bigint not null,
    constraint users__email_key unique (email_key)
);

create table memberships (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'admin', 'owner')),
    created_at bigint not null,
    constraint memberships__workspace_id__user_id primary key (workspace_id, user_id)
);

create index memberships_by_user on memberships (user_id);

create table http_sessions (
    id text not null primary key,
    data text not null,
    expires_at bigint not null
);

create index http_sessions_by_expiry on http_sessions (expires_at);

create table connections (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    network text not null,
    state text not null check (state in ('choose_account', 'connected', 'auth_failed')),
    enabled boolean not null,
    sandbox boolean not null,
    sealed text not null,
    accounts text not null,
    message text,
    version bigint not null,
    created_by uuid not null references users (id),
    created_at bigint not null,
    last_verified_at bigint,
    constraint connections__workspace_id__network unique (workspace_id, network)
);

create table oauth_attempts (
    state_hash text not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    session_hash text not null,
    network text not null,
    sealed_verifier text not null,
    return_to text,
    expires_at bigint not null
);

create index oauth_attempts_by_expiry on oauth_attempts (expires_at);

create table context_settings (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    settings text not null,
    updated_at bigint not null,
    primary key (workspace_id, user_id)
);

create table chat_sessions (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    title text not null,
    chat_only boolean not null,
    created_at bigint not null,
    updated_at bigint not null
);

create index chat_sessions_by_use on chat_sessions (workspace_id, user_id, updated_at, id);

-- run_id has no foreign key: message and run are written in one transaction, in either order, and go with their session.
create table messages (
    id uuid not null primary key,
    workspace_id uuid not null,
    session_id uuid not null references chat_sessions (id) on delete cascade,
    run_id uuid not null,
    author_id uuid not null references users (id),
    content text not null,
    created_at bigint not null,
    rating text check (rating in ('up', 'down')),
    rating_comment text
);

create index messages_by_session on messages (session_id, id);

-- claim_at: from when on a worker may take the run; while it is leased, the end of the lease; null when there is nothing to do.
-- woken_at: a wake that arrived while it was leased, so that giving the lease back does not lose it.
create table runs (
    id uuid not null primary key,
    workspace_id uuid not null,
    user_id uuid not null,
    session_id uuid not null references chat_sessions (id) on delete cascade,
    message_id uuid not null,
    status text not null check (
        status in ('queued', 'running', 'awaiting_approval', 'completed', 'failed', 'stopped', 'cancelled')
    ),
    model text not null,
    epoch bigint not null default 0,
    cancel_requested boolean not null default false,
    last_seq bigint not null default 0,
    answer text,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cost_micros bigint not null default 0,
    created_at bigint not null,
    started_at bigint,
    finished_at bigint,
    lease_owner text,
    lease_until bigint,
    claim_at bigint,
    woken_at bigint
);

create index runs_by_claim on runs (claim_at, id) where claim_at is not null;
create index runs_by_user on runs (workspace_id, user_id, id);
create index runs_by_session on runs (session_id, status);

create table run_events (
    run_id uuid not null references runs (id) on delete cascade,
    seq bigint not null,
    at bigint not null,
    body text not null,
    constraint run_events__run_id__seq primary key (run_id, seq)
);

create table run_checkpoints (
    id uuid not null primary key,
    run_id uuid not null references runs (id) on delete cascade,
    step bigint not null,
    seq bigint not null,
    node text not null,
    state text not null,
    created_at bigint not null,
    constraint run_checkpoints__run_id__step unique (run_id, step)
);

create table tool_calls (
    id uuid not null primary key,
    run_id uuid not null references runs (id) on delete cascade,
    workspace_id uuid not null,
    name text not null,
    read_only boolean not null,
    args text not null,
    digest text not null,
    status text not null check (
        status in ('prepared', 'approved', 'sending', 'succeeded', 'failed', 'unknown', 'denied')
    ),
    result text,
    created_at bigint not null,
    updated_at bigint not null
);

create index tool_calls_by_run on tool_calls (run_id, created_at, id);

create table approvals (
    id uuid not null primary key,
    workspace_id uuid not null,
    user_id uuid not null,
    run_id uuid not null references runs (id) on delete cascade,
    session_id uuid not null,
    tool_call_id uuid not null,
    status text not null check (status in ('pending', 'approved', 'denied', 'cancelled', 'expired')),
    digest text not null,
    view text not null,
    created_at bigint not null,
    expires_at bigint,
    answered_by uuid,
    answered_by_name text,
    answered_at bigint,
    edited_args text,
    reason text
);

create index approvals_by_user on approvals (workspace_id, user_id, id);
create index approvals_by_run on approvals (run_id, id);
create index approvals_by_expiry on approvals (expires_at) where status = 'pending';

create table idempotency_keys (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    idempotency_key text not null,
    request_digest text not null,
    answer text not null,
    created_at bigint not null,
    primary key (workspace_id, user_id, idempotency_key)
);

create index idempotency_keys_by_age on idempotency_keys (created_at);

-- No foreign keys: the record outlives what it speaks of.
create table audit_log (
    id bigint generated always as identity primary key,
    workspace_id uuid not null,
    user_id uuid not null,
    action text not null,
    target text not null,
    detail text not null,
    at bigint not null
);

create index audit_log_by_workspace on audit_log (workspace_id, at, id);
