-- The whole schema. Instants are microseconds since 1970 (UTC) and JSON is text, so that both engines run the same statements.


-- People and workspaces

-- Everything belongs to a workspace: one person's own, or an organization's.
create table workspaces (
    id uuid not null primary key,
    kind text not null check (kind in ('personal', 'organization')),
    name text not null,
    slug text not null,
    created_at bigint not null,
    constraint workspaces__slug unique (slug)
);

-- Accounts of people.
create table users (
    id uuid not null primary key,
    email text not null,
    email_key text not null,
    email_verified_at bigint,
    name text not null,
    password_hash text not null,
    personal_workspace_id uuid not null references workspaces (id),
    created_at bigint not null,
    constraint users__email_key unique (email_key)
);

-- Who is in a workspace, in which role.
create table memberships (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'admin', 'owner')),
    created_at bigint not null,
    constraint memberships__workspace_id__user_id primary key (workspace_id, user_id)
);

create index memberships_by_user on memberships (user_id);
-- At most one owner. No statement removes the last one, so there is always exactly one.
create unique index memberships__workspace_id on memberships (workspace_id) where role = 'owner';

-- Invitations of one email address to an organization. invited_by has no foreign key: the invitation outlives the person who made it.
create table invitations (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    email text not null,
    email_key text not null,
    role text not null check (role in ('member', 'admin')),
    status text not null check (status in ('pending', 'accepted', 'rejected', 'revoked')),
    invited_by uuid not null,
    created_at bigint not null,
    expires_at bigint not null,
    answered_at bigint,
    mail_id uuid not null,
    mailed_at bigint not null,
    mails bigint not null
);

create unique index invitations__workspace_id__email_key on invitations (workspace_id, email_key) where status = 'pending';
create index invitations_by_address on invitations (email_key) where status = 'pending';

-- Links that let people join an organization. A link is found by the digest of its token; sealed holds the token, so that it can be copied again.
create table invite_links (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    role text not null check (role in ('member', 'admin')),
    token_hash text not null,
    sealed text not null,
    created_by uuid not null,
    created_at bigint not null,
    expires_at bigint,
    max_uses bigint,
    uses bigint not null,
    deactivated_at bigint,
    constraint invite_links__token_hash unique (token_hash),
    check (max_uses is null or uses <= max_uses)
);

create index invite_links_by_workspace on invite_links (workspace_id, created_at, id);

-- The time zone in which a workspace counts its days. No row: the zone of its accounts.
create table workspace_reporting (
    workspace_id uuid not null primary key references workspaces (id) on delete cascade,
    time_zone text not null,
    updated_at bigint not null
);

-- What a workspace deletes sooner than the server does. null: as the server does.
create table workspace_retention (
    workspace_id uuid not null primary key references workspaces (id) on delete cascade,
    runs_days bigint,
    checkpoints_days bigint,
    audit_days bigint,
    updated_at bigint not null
);

-- Erased accounts, with nothing in them that identifies a person.
create table deleted_users (
    id uuid not null primary key,
    anonymous_id text not null,
    account_created_on text not null,
    account_deleted_on text not null,
    account_lifetime_days bigint not null,
    total_chat_sessions bigint not null,
    total_messages bigint not null,
    had_connected_providers boolean not null,
    deletion_reason text not null check (deletion_reason in ('user_requested', 'gdpr_request')),
    constraint deleted_users__anonymous_id unique (anonymous_id)
);


-- Sign-in

-- Browser sessions. The columns from user_id on are there once somebody signed in, so that this person can see and end the session.
create table http_sessions (
    id text not null primary key,
    data text not null,
    expires_at bigint not null,
    user_id uuid references users (id) on delete cascade,
    created_at bigint,
    seen_at bigint,
    agent text,
    address text
);

create index http_sessions_by_expiry on http_sessions (expires_at);
create index http_sessions_by_user on http_sessions (user_id);

-- People as OpenID Connect providers know them. subject is the provider's own name for a person; it never changes.
create table identities (
    issuer text not null,
    subject text not null,
    user_id uuid not null references users (id) on delete cascade,
    email text not null,
    created_at bigint not null,
    used_at bigint,
    constraint identities__issuer__subject primary key (issuer, subject),
    constraint identities__user_id__issuer unique (user_id, issuer)
);

-- Sign-ins that are with a provider now. user_id: the person who links an account; null for a sign-in.
create table sign_in_attempts (
    state_hash text not null primary key,
    binding_hash text not null,
    user_id uuid references users (id) on delete cascade,
    return_to text,
    expires_at bigint not null
);

create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at);

-- Links sent by email: one of a purpose per person, and only a digest of the secret.
create table account_tokens (
    secret_hash text not null primary key,
    user_id uuid not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('verify_email', 'reset_password')),
    email text not null,
    created_at bigint not null,
    expires_at bigint not null,
    constraint account_tokens__user_id__purpose unique (user_id, purpose)
);

create index account_tokens_by_expiry on account_tokens (expires_at);

-- Authenticator apps. last_step: the time step of the last accepted code, so that no code counts twice. failures: wrong codes since then.
create table second_factors (
    user_id uuid not null primary key references users (id) on delete cascade,
    sealed text not null,
    confirmed_at bigint,
    last_step bigint,
    failures bigint not null default 0,
    blocked_until bigint,
    created_at bigint not null
);

-- One-time codes for people who lost their authenticator app.
create table recovery_codes (
    user_id uuid not null references users (id) on delete cascade,
    code_hash text not null,
    primary key (user_id, code_hash)
);

-- Wrong passwords, counted per account and address instead of listed, so that an attacker cannot fill the table. noted_at: the last audit entry.
create table failed_sign_ins (
    user_id uuid not null references users (id) on delete cascade,
    address text not null,
    attempts bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    noted_at bigint,
    primary key (user_id, address)
);

create index failed_sign_ins_by_last on failed_sign_ins (last_at);

-- Access tokens for scripts and MCP clients: only a digest of the secret. hint is how the token begins, so that its owner recognizes it.
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


-- Networks

-- Our access to ad networks. label tells several connections of a network apart; label_key is the label in lower case, made by the
-- program, so that both engines compare alike. abilities: what the credentials may do, null until we looked. made counts new
-- credentials, not renewed tokens: what was approved for one set of credentials is not sent with another.
create table connections (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    network text not null,
    label text not null,
    label_key text not null,
    state text not null check (state in ('choose_account', 'connected', 'auth_failed')),
    message text,
    enabled boolean not null,
    sandbox boolean not null,
    sealed text not null,
    accounts text not null,
    abilities text,
    version bigint not null,
    made bigint not null default 1,
    created_by uuid not null references users (id),
    consented_by uuid references users (id) on delete set null,
    created_at bigint not null,
    last_verified_at bigint,
    constraint connections__workspace_id__network__label_key unique (workspace_id, network, label_key)
);

-- Before a consent is revoked, we ask which other connections depend on it.
create index connections__consented_by on connections (consented_by);

-- Consents to revoke at networks. A row is written with what removed the connection; a worker does it later. workspace_id: which
-- workspace hears of a failure; null once that is gone. sealed is empty once settled.
create table revocations (
    id uuid not null primary key,
    workspace_id uuid references workspaces (id) on delete set null,
    connection_id uuid not null,
    network text not null,
    sandbox boolean not null,
    sealed text not null,
    state text not null check (state in ('waiting', 'done', 'failed')),
    attempts bigint not null,
    next_at bigint not null,
    created_at bigint not null,
    settled_at bigint,
    last_error text
);

create index revocations_by_time on revocations (next_at) where state = 'waiting';
create index revocations_by_workspace on revocations (workspace_id);

-- What a person selected in a workspace: networks, apps, scope.
create table context_settings (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    settings text not null,
    updated_at bigint not null,
    primary key (workspace_id, user_id)
);


-- Chats

-- Conversations. kept: retention leaves it alone. shared_at: members of the workspace may read it. home_question and home_basis: home
-- began this chat, to answer which question from which state; both become null when the person continues the chat.
create table chat_sessions (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    title text not null,
    chat_only boolean not null,
    kept boolean not null default false,
    shared_at bigint,
    home_question text,
    home_basis text,
    created_at bigint not null,
    updated_at bigint not null
);

create index chat_sessions_by_use on chat_sessions (workspace_id, user_id, updated_at, id);
create index chat_sessions_by_home on chat_sessions (workspace_id, user_id) where home_question is not null;
create index chat_sessions_shared on chat_sessions (workspace_id, shared_at) where shared_at is not null;

-- What people wrote. run_id has no foreign key: a message and its run are written in one transaction, in either order, and go with
-- their chat.
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

-- Questions that a person saved to ask again.
create table saved_questions (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    title text not null,
    question text not null,
    pinned boolean not null,
    created_at bigint not null,
    updated_at bigint not null
);

create index saved_questions_by_user on saved_questions (workspace_id, user_id, id);

-- What a workspace wants to get done. due: a day, as 2026-11-27. assignee_id: for whom; created_by: whose wish it was.
-- The id of one that a run made is its call's: so its run is found, and made twice it is made once.
create table todos (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    text text not null,
    due text,
    assignee_id uuid references users (id) on delete set null,
    created_by uuid references users (id) on delete set null,
    done_at bigint,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null
);

create index todos_open on todos (workspace_id, due, id) where done_at is null;

create index todos_done on todos (workspace_id, done_at, id) where done_at is not null;

create index todos_by_assignee on todos (assignee_id) where assignee_id is not null;

create index todos_by_creator on todos (created_by) where created_by is not null;

-- Texts that a workspace keeps. folder: a path; version: the newest. trashed_at: since when it is in the trash, from which it is deleted after a
-- while. words, title_words: the words of title, folder and text, folded by the program, by which it is found; both engines index them as they are.
-- No GIN index: under row level security it would not be used, and a workspace has few documents.
create table documents (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    title text not null,
    folder text not null,
    version bigint not null,
    size bigint not null,
    title_words text not null,
    words text not null,
    created_by uuid references users (id) on delete set null,
    created_at bigint not null,
    trashed_at bigint,
    title_vector tsvector not null generated always as (array_to_tsvector(string_to_array(title_words, ' '))) stored,
    word_vector tsvector not null generated always as (array_to_tsvector(string_to_array(words, ' '))) stored
);

create index documents_by_workspace on documents (workspace_id, id);

create index documents_trashed on documents (trashed_at) where trashed_at is not null;

create index documents_by_creator on documents (created_by) where created_by is not null;

-- Every save of a document, the newest of them. agent: the handle of the agent that wrote it for the person. call_id: the call that wrote it,
-- by which its run is found; a call writes once.
create table document_versions (
    document_id uuid not null references documents (id) on delete cascade,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    number bigint not null,
    title text not null,
    folder text not null,
    text text not null,
    size bigint not null,
    written_by uuid references users (id) on delete set null,
    agent text,
    call_id uuid,
    at bigint not null,
    primary key (document_id, number)
);

create unique index document_versions__call on document_versions (workspace_id, call_id) where call_id is not null;

create index document_versions_by_writer on document_versions (written_by) where written_by is not null;

-- Servers of others whose tools a workspace uses. sign_in: how, without what is secret, which is sealed; tools: what was found there
-- and what people decided about it; both JSON. problem: why the last look failed. signed_in_at, sign_in_expired: of a sign-in with OAuth.
-- sealed_version: goes up whenever what is sealed changes. refresh_until: until when one process refreshes the tokens alone.
create table tool_servers (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    handle text not null,
    name text not null,
    url text not null,
    sign_in text not null,
    sealed text,
    sealed_version bigint not null default 1,
    signed_in_at bigint,
    sign_in_expired boolean not null default false,
    refresh_until bigint,
    enabled boolean not null,
    problem text,
    tools text not null,
    left_out bigint not null,
    created_by uuid references users (id) on delete set null,
    version bigint not null,
    checked_at bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint tool_servers__workspace_id__handle unique (workspace_id, handle)
);

create index tool_servers_by_creator on tool_servers (created_by) where created_by is not null;

-- OAuth round trips under way, to a network or to a tool server. sandbox: the trip ends at the network where it began, simulated or real.
-- connection_id, adds and label say which connection it makes: a new one, one more under this label, or the network's first.
create table oauth_attempts (
    state_hash text not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    session_hash text not null,
    network text,
    sandbox boolean not null default false,
    connection_id uuid,
    adds boolean not null default false,
    label text,
    tool_server_id uuid references tool_servers (id) on delete cascade,
    sealed_verifier text not null,
    return_to text,
    expires_at bigint not null,
    constraint oauth_attempts__one_target check ((network is null) <> (tool_server_id is null))
);

create index oauth_attempts_by_expiry on oauth_attempts (expires_at);

-- Agents. body: what people set, as JSON; handle and sharing are columns too, because they are looked for.
create table agents (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    owner_id uuid not null references users (id) on delete cascade,
    handle text not null,
    -- Copies of what the body says, for lists that need no more. `called` is the name in lowercase.
    name text not null,
    called text not null,
    position text not null,
    description text not null,
    active boolean not null,
    sharing text not null check (sharing in ('private', 'use', 'edit')),
    journal text not null check (journal in ('own', 'own_and_scheduled', 'full')),
    body text not null,
    version bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    constraint agents__workspace_id__owner_id__handle unique (workspace_id, owner_id, handle)
);

create index agents_by_handle on agents (workspace_id, handle);

-- What each version of an agent was, and who made it so.
create table agent_versions (
    agent_id uuid not null references agents (id) on delete cascade,
    version bigint not null,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid references users (id) on delete set null,
    body text not null,
    created_at bigint not null,
    primary key (agent_id, version)
);

create index agent_versions_by_user on agent_versions (user_id) where user_id is not null;


-- Runs

-- The work for one message or of one flow, and the job that advances it.
-- class: interactive runs are claimed before background ones. lane: what runs one at a time, for a turn its chat; several runs of a lane
-- follow each other. subject: the message, or the flow's definition, hash and inputs, as JSON under the name of the kind.
-- user_id, agent_id, trigger_id: whose rights the run has, as which agent, and what started it when no person did.
-- session_id and message_id: there for turns only, so that a turn goes with its chat.
-- parent_id, parent_path: the run and the step that began this one; root_id: the run at the top; depth: how many are above.
-- context: what narrows the person's settings for this run alone; null: the settings as they are.
-- asked_key: what a program asked for; see the index below.
-- claim_at: the time from which a worker may take the run; while it is leased, the end of the lease; null when there is nothing to do.
-- woken_at: a wake that arrived during a lease, so that releasing the lease does not lose it.
-- taken_from: the owner whose lease had expired at the last claim; null after a release. takeovers: how often in a row that happened
-- without a write to this row.
-- thinned: of this ended run only the last saved state is left.
create table runs (
    id uuid not null primary key,
    workspace_id uuid not null,
    kind text not null check (kind in ('turn', 'flow')),
    class text not null check (class in ('interactive', 'background')),
    lane uuid not null,
    subject text not null,
    user_id uuid not null,
    agent_id uuid,
    trigger_id uuid,
    session_id uuid references chat_sessions (id) on delete cascade,
    message_id uuid,
    parent_id uuid references runs (id) on delete cascade,
    parent_path text,
    root_id uuid not null,
    depth bigint not null,
    status text not null check (
        status in ('queued', 'running', 'awaiting_approval', 'completed', 'failed', 'stopped', 'cancelled')
    ),
    model text not null,
    context text,
    asked_key text,
    cancel_requested boolean not null default false,
    last_seq bigint not null default 0,
    answer text,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cost_micros bigint not null default 0,
    created_at bigint not null,
    started_at bigint,
    finished_at bigint,
    claim_at bigint,
    woken_at bigint,
    epoch bigint not null default 0,
    lease_owner text,
    lease_until bigint,
    taken_from text,
    takeovers bigint not null default 0,
    thinned boolean not null default false,
    constraint runs__parent_id__parent_path unique (parent_id, parent_path),
    constraint runs_of_turns check ((kind = 'turn') = (session_id is not null) and (session_id is null) = (message_id is null)),
    constraint runs_of_parents check ((parent_id is null) = (parent_path is null) and (parent_id is null) = (depth = 0))
);

create index runs_by_claim on runs (class, claim_at, id) where claim_at is not null;
create index runs_by_lane on runs (lane, status);
create index runs_by_root on runs (root_id) where parent_id is not null;
create index runs_by_session on runs (session_id, status) where session_id is not null;
create index runs_by_user on runs (workspace_id, user_id, id);
create index runs_by_agent on runs (agent_id, id) where agent_id is not null;
create index runs_by_end on runs (finished_at, id) where finished_at is not null;
create index runs_to_thin on runs (finished_at, id) where finished_at is not null and not thinned;
-- While a run is open, its person has no second one with this key in the workspace, also of requests that arrive at the same moment.
create unique index runs__workspace_id__user_id__asked_key on runs (workspace_id, user_id, asked_key)
where asked_key is not null and status in ('queued', 'running', 'awaiting_approval');

-- Where a fork begins. parent_id has no foreign key: the parent may be deleted before its forks.
create table run_origins (
    run_id uuid not null primary key references runs (id) on delete cascade,
    parent_id uuid not null,
    parent_step bigint not null,
    inherited_seq bigint not null
);

create index run_origins_by_parent on run_origins (parent_id, run_id);

-- The record of a run; pages and streams are built from it.
create table run_events (
    run_id uuid not null references runs (id) on delete cascade,
    seq bigint not null,
    at bigint not null,
    body text not null,
    constraint run_events__run_id__seq primary key (run_id, seq)
);

-- Saved states, from which a run continues or is forked.
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

-- Requests of a run to tools of a network.
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
    artifact text,
    created_at bigint not null,
    updated_at bigint not null
);

create index tool_calls_by_run on tool_calls (run_id, created_at, id);

-- Decisions of people about changes. view: the card as it was shown. sent: what an edited approval sent, in words.
create table approvals (
    id uuid not null primary key,
    workspace_id uuid not null,
    user_id uuid not null,
    run_id uuid not null references runs (id) on delete cascade,
    session_id uuid,
    tool_call_id uuid not null,
    source text not null,
    status text not null check (status in ('pending', 'approved', 'denied', 'cancelled', 'expired')),
    digest text not null,
    view text not null,
    created_at bigint not null,
    expires_at bigint,
    answered_by uuid,
    answered_by_name text,
    answered_at bigint,
    edited_args text,
    sent text,
    reason text
);

create index approvals_by_user on approvals (workspace_id, user_id, id);
create index approvals_by_run on approvals (run_id, id);
create index approvals_pending on approvals (workspace_id, id) where status = 'pending';
create index approvals_by_expiry on approvals (expires_at) where status = 'pending';


-- Usage of hosted models

-- What hosted models cost a workspace in a day. Days are those of the server's time zone.
create table workspace_usage (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    day text not null,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cost_micros bigint not null default 0,
    calls bigint not null default 0,
    primary key (workspace_id, day)
);

-- What is set aside for questions to models that are under way, by their number within the run. The worker that takes a run over
-- books it.
create table usage_reservations (
    run_id uuid not null references runs (id) on delete cascade,
    question bigint not null,
    workspace_id uuid not null,
    day text not null,
    model text not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_micros bigint not null,
    expires_at bigint not null,
    primary key (run_id, question)
);

create index usage_reservations_by_day on usage_reservations (workspace_id, day);


-- Requests and mails

-- Answers to requests that carry an idempotency key: a repeat gets the same answer.
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

-- Mails to send. next_at: the time from which a mail may be claimed; while it is claimed, the end of the lease. sealed: recipient,
-- subject and text, because a mail may contain a secret link; empty once settled. expires_at: when the mail becomes pointless; a mail
-- that failed keeps its sealed content until then, so that it can be sent after all.
create table mail_queue (
    id uuid not null primary key,
    kind text not null,
    sealed text not null,
    state text not null check (state in ('waiting', 'sent', 'failed')),
    attempts bigint not null,
    next_at bigint not null,
    created_at bigint not null,
    settled_at bigint,
    expires_at bigint,
    last_error text
);

create index mail_queue_by_turn on mail_queue (next_at, id) where state = 'waiting';
create index mail_queue_by_end on mail_queue (settled_at) where settled_at is not null;


-- Audit log

-- Who did what: a chain for each workspace, in which each row is numbered and carries a hash over itself and the hash before it.
-- Who and what are hashed separately, each with a salt of the row: erasing a person removes values and salts, and the chain still
-- holds. Rows without a number are outside the chain; the first numbered row of a workspace says how many there were. No foreign keys:
-- the record outlives what it names.
create table audit_log (
    id bigint generated always as identity primary key,
    workspace_id uuid not null,
    number bigint,
    user_id uuid not null,
    action text not null,
    target text not null,
    detail text not null,
    at bigint not null,
    who_salt text,
    who text,
    what_salt text,
    what text,
    hash text
);

create index audit_log_by_workspace on audit_log (workspace_id, at, id);
create unique index audit_log__workspace_id__number on audit_log (workspace_id, number);
create index audit_log_by_id on audit_log (workspace_id, id);
create index audit_log_by_user on audit_log (user_id, id);

-- The end of each chain; a writer locks it to append. unchained: rows outside the chain; unchained_gone: how many of these retention
-- deleted. pruned: the number up to which retention deleted rows, and the hash with which the rest begins. verified: the row up to
-- which a page has checked the chain.
create table audit_heads (
    workspace_id uuid not null primary key,
    number bigint not null,
    hash text not null,
    unchained bigint not null,
    unchained_gone bigint not null default 0,
    pruned bigint not null,
    pruned_hash text not null,
    verified bigint not null default 0,
    verified_hash text not null default ''
);

-- Rows are deleted only after their chain was pruned up to them, and changed only to erase who or what, with its salt.
create function audit_log_guard() returns trigger language plpgsql as $$
begin
    if tg_op = 'TRUNCATE' then
        raise exception 'audit_log is append-only' using errcode = 'restrict_violation';
    end if;
    if tg_op = 'DELETE' then
        if exists (
            select 1 from audit_heads h
            where h.workspace_id = old.workspace_id and h.pruned >= coalesce(old.number, 0)
        ) then
            return old;
        end if;
        raise exception 'audit_log is append-only' using errcode = 'restrict_violation';
    end if;
    if
        new.id = old.id and new.workspace_id = old.workspace_id and new.action = old.action and new.at = old.at
        and (new.number, new.who, new.what, new.hash) is not distinct from (old.number, old.who, old.what, old.hash)
        and (
            (new.user_id = old.user_id and new.who_salt is not distinct from old.who_salt)
            or (new.user_id = '00000000-0000-0000-0000-000000000000' and new.who_salt is null)
        )
        and (
            (new.target = old.target and new.detail = old.detail and new.what_salt is not distinct from old.what_salt)
            or (new.target = '' and new.detail = '{}' and new.what_salt is null)
        )
    then
        return new;
    end if;
    raise exception 'audit_log is append-only' using errcode = 'restrict_violation';
end
$$;

create trigger audit_log_append_only before update or delete on audit_log for each row execute function audit_log_guard();
create trigger audit_log_not_emptied before truncate on audit_log for each statement execute function audit_log_guard();


-- The second fence: a transaction that says its workspace (set local adagent.workspace) sees no row of another one, whatever a
-- statement asks for. If the setting is absent the policies allow every row, because workers claim runs of all workspaces. Forced,
-- because the server owns its tables.

do $$
declare
    fenced text;
    guard record;
    ours text;
begin
    -- Revocations of a deleted workspace have none, so no workspace sees them.
    foreach fenced in array array[
        'connections', 'oauth_attempts', 'revocations', 'context_settings', 'chat_sessions', 'messages', 'saved_questions', 'runs',
        'tool_calls', 'approvals', 'idempotency_keys', 'audit_log', 'audit_heads', 'workspace_usage', 'usage_reservations',
        'access_tokens', 'invitations', 'invite_links', 'workspace_retention', 'workspace_reporting', 'agents',
        'agent_versions', 'todos', 'documents', 'document_versions', 'tool_servers'
    ] loop
        execute format('alter table %I enable row level security', fenced);
        execute format('alter table %I force row level security', fenced);
        execute format(
            'create policy workspace on %I using (
                coalesce(current_setting(''adagent.workspace'', true), '''') = ''''
                or workspace_id = nullif(current_setting(''adagent.workspace'', true), '''')::uuid
            )',
            fenced
        );
    end loop;
    -- These belong to the workspace of their run: the policy of runs decides.
    foreach fenced in array array['run_events', 'run_checkpoints', 'run_origins'] loop
        execute format('alter table %I enable row level security', fenced);
        execute format('alter table %I force row level security', fenced);
        execute format(
            'create policy workspace on %I using (
                coalesce(current_setting(''adagent.workspace'', true), '''') = ''''
                or exists (select 1 from runs r where r.id = %I.run_id)
            )',
            fenced, fenced
        );
    end loop;
    -- These are read before the workspace is known, so only writes are fenced.
    for guard in select * from (values ('memberships', 'workspace_id'), ('workspaces', 'id')) as f (name, of) loop
        ours := format(
            'coalesce(current_setting(''adagent.workspace'', true), '''') = ''''
            or %I = nullif(current_setting(''adagent.workspace'', true), '''')::uuid',
            guard.of
        );
        execute format('alter table %I enable row level security', guard.name);
        execute format('alter table %I force row level security', guard.name);
        execute format('create policy seen on %I for select using (true)', guard.name);
        execute format('create policy made on %I for insert with check (%s)', guard.name, ours);
        execute format('create policy changed on %I for update using (%s)', guard.name, ours);
        execute format('create policy removed on %I for delete using (%s)', guard.name, ours);
    end loop;
end
$$;
