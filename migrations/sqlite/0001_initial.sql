-- Everything the main path stores. Instants are microseconds since 1970 (UTC); JSON is text; both engines read the same statements.

create table workspaces (
    id blob not null primary key,
    kind text not null check (kind in ('personal', 'organization')),
    name text not null,
    slug text not null,
    created_at integer not null,
    constraint workspaces__slug unique (slug)
) strict;

create table users (
    id blob not null primary key,
    email text not null,
    email_key text not null,
    name text not null,
    password_hash text not null,
    personal_workspace_id blob not null references workspaces (id),
    created_at integer not null,
    constraint users__email_key unique (email_key)
) strict;

create table memberships (
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'admin', 'owner')),
    created_at integer not null,
    constraint memberships__workspace_id__user_id primary key (workspace_id, user_id)
) strict, without rowid;

create index memberships_by_user on memberships (user_id);

create table http_sessions (
    id text not null primary key,
    data text not null,
    expires_at integer not null
) strict, without rowid;

create index http_sessions_by_expiry on http_sessions (expires_at);

create table connections (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    network text not null,
    state text not null check (state in ('choose_account', 'connected', 'auth_failed')),
    enabled integer not null,
    sandbox integer not null,
    sealed text not null,
    accounts text not null,
    message text,
    version integer not null,
    created_by blob not null references users (id),
    created_at integer not null,
    last_verified_at integer,
    constraint connections__workspace_id__network unique (workspace_id, network)
) strict;

create table oauth_attempts (
    state_hash text not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    session_hash text not null,
    network text not null,
    sealed_verifier text not null,
    return_to text,
    expires_at integer not null
) strict, without rowid;

create index oauth_attempts_by_expiry on oauth_attempts (expires_at);

create table context_settings (
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    settings text not null,
    updated_at integer not null,
    primary key (workspace_id, user_id)
) strict, without rowid;

create table chat_sessions (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    title text not null,
    chat_only integer not null,
    created_at integer not null,
    updated_at integer not null
) strict;

create index chat_sessions_by_use on chat_sessions (workspace_id, user_id, updated_at, id);

-- run_id has no foreign key: message and run are written in one transaction, in either order, and go with their session.
create table messages (
    id blob not null primary key,
    workspace_id blob not null,
    session_id blob not null references chat_sessions (id) on delete cascade,
    run_id blob not null,
    author_id blob not null references users (id),
    content text not null,
    created_at integer not null,
    rating text check (rating in ('up', 'down')),
    rating_comment text
) strict;

create index messages_by_session on messages (session_id, id);

-- claim_at: from when on a worker may take the run; while it is leased, the end of the lease; null when there is nothing to do.
-- woken_at: a wake that arrived while it was leased, so that giving the lease back does not lose it.
create table runs (
    id blob not null primary key,
    workspace_id blob not null,
    user_id blob not null,
    session_id blob not null references chat_sessions (id) on delete cascade,
    message_id blob not null,
    status text not null check (
        status in ('queued', 'running', 'awaiting_approval', 'completed', 'failed', 'stopped', 'cancelled')
    ),
    model text not null,
    epoch integer not null default 0,
    cancel_requested integer not null default 0,
    last_seq integer not null default 0,
    answer text,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    cost_micros integer not null default 0,
    created_at integer not null,
    started_at integer,
    finished_at integer,
    lease_owner text,
    lease_until integer,
    claim_at integer,
    woken_at integer
) strict;

create index runs_by_claim on runs (claim_at, id) where claim_at is not null;
create index runs_by_user on runs (workspace_id, user_id, id);
create index runs_by_session on runs (session_id, status);

create table run_events (
    run_id blob not null references runs (id) on delete cascade,
    seq integer not null,
    at integer not null,
    body text not null,
    constraint run_events__run_id__seq primary key (run_id, seq)
) strict, without rowid;

create table run_checkpoints (
    id blob not null primary key,
    run_id blob not null references runs (id) on delete cascade,
    step integer not null,
    seq integer not null,
    node text not null,
    state text not null,
    created_at integer not null,
    constraint run_checkpoints__run_id__step unique (run_id, step)
) strict;

create table tool_calls (
    id blob not null primary key,
    run_id blob not null references runs (id) on delete cascade,
    workspace_id blob not null,
    name text not null,
    read_only integer not null,
    args text not null,
    digest text not null,
    status text not null check (
        status in ('prepared', 'approved', 'sending', 'succeeded', 'failed', 'unknown', 'denied')
    ),
    result text,
    created_at integer not null,
    updated_at integer not null
) strict;

create index tool_calls_by_run on tool_calls (run_id, created_at, id);

create table approvals (
    id blob not null primary key,
    workspace_id blob not null,
    user_id blob not null,
    run_id blob not null references runs (id) on delete cascade,
    session_id blob not null,
    tool_call_id blob not null,
    status text not null check (status in ('pending', 'approved', 'denied', 'cancelled', 'expired')),
    digest text not null,
    view text not null,
    created_at integer not null,
    expires_at integer,
    answered_by blob,
    answered_by_name text,
    answered_at integer,
    edited_args text,
    reason text
) strict;

create index approvals_by_user on approvals (workspace_id, user_id, id);
create index approvals_by_run on approvals (run_id, id);
create index approvals_by_expiry on approvals (expires_at) where status = 'pending';

create table idempotency_keys (
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    idempotency_key text not null,
    request_digest text not null,
    answer text not null,
    created_at integer not null,
    primary key (workspace_id, user_id, idempotency_key)
) strict, without rowid;

create index idempotency_keys_by_age on idempotency_keys (created_at);

-- No foreign keys: the record outlives what it speaks of.
create table audit_log (
    id integer primary key,
    workspace_id blob not null,
    user_id blob not null,
    action text not null,
    target text not null,
    detail text not null,
    at integer not null
) strict;

create index audit_log_by_workspace on audit_log (workspace_id, at, id);
