-- The whole schema. Instants are microseconds since 1970 (UTC) and JSON is text, so that both engines run the same statements.


-- People and workspaces

-- Everything belongs to a workspace: one person's own, or an organization's.
create table workspaces (
    id blob not null primary key,
    kind text not null check (kind in ('personal', 'organization')),
    name text not null,
    slug text not null,
    created_at integer not null,
    constraint workspaces__slug unique (slug)
) strict;

-- Accounts of people.
create table users (
    id blob not null primary key,
    email text not null,
    email_key text not null,
    email_verified_at integer,
    name text not null,
    password_hash text not null,
    personal_workspace_id blob not null references workspaces (id),
    created_at integer not null,
    constraint users__email_key unique (email_key)
) strict;

-- Who is in a workspace, in which role.
create table memberships (
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    role text not null check (role in ('member', 'admin', 'owner')),
    created_at integer not null,
    constraint memberships__workspace_id__user_id primary key (workspace_id, user_id)
) strict, without rowid;

create index memberships_by_user on memberships (user_id);
-- At most one owner. No statement removes the last one, so there is always exactly one.
create unique index memberships__workspace_id on memberships (workspace_id) where role = 'owner';

-- Invitations of one email address to an organization. invited_by has no foreign key: the invitation outlives the person who made it.
create table invitations (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    email text not null,
    email_key text not null,
    role text not null check (role in ('member', 'admin')),
    status text not null check (status in ('pending', 'accepted', 'rejected', 'revoked')),
    invited_by blob not null,
    created_at integer not null,
    expires_at integer not null,
    answered_at integer,
    mail_id blob not null,
    mailed_at integer not null,
    mails integer not null
) strict;

create unique index invitations__workspace_id__email_key on invitations (workspace_id, email_key) where status = 'pending';
create index invitations_by_address on invitations (email_key) where status = 'pending';

-- Links that let people join an organization. A link is found by the digest of its token; sealed holds the token, so that it can be copied again.
create table invite_links (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    role text not null check (role in ('member', 'admin')),
    token_hash text not null,
    sealed text not null,
    created_by blob not null,
    created_at integer not null,
    expires_at integer,
    max_uses integer,
    uses integer not null,
    deactivated_at integer,
    constraint invite_links__token_hash unique (token_hash),
    check (max_uses is null or uses <= max_uses)
) strict;

create index invite_links_by_workspace on invite_links (workspace_id, created_at, id);

-- The time zone in which a workspace counts its days. No row: the zone of its accounts.
create table workspace_reporting (
    workspace_id blob not null primary key references workspaces (id) on delete cascade,
    time_zone text not null,
    updated_at integer not null
) strict;

-- What a workspace deletes sooner than the server does. null: as the server does.
create table workspace_retention (
    workspace_id blob not null primary key references workspaces (id) on delete cascade,
    runs_days integer,
    checkpoints_days integer,
    audit_days integer,
    updated_at integer not null
) strict;

-- Erased accounts, with nothing in them that identifies a person.
create table deleted_users (
    id blob not null primary key,
    anonymous_id text not null,
    account_created_on text not null,
    account_deleted_on text not null,
    account_lifetime_days integer not null,
    total_chat_sessions integer not null,
    total_messages integer not null,
    had_connected_providers integer not null,
    deletion_reason text not null check (deletion_reason in ('user_requested', 'gdpr_request')),
    constraint deleted_users__anonymous_id unique (anonymous_id)
) strict;


-- Sign-in

-- Browser sessions. The columns from user_id on are there once somebody signed in, so that this person can see and end the session.
create table http_sessions (
    id text not null primary key,
    data text not null,
    expires_at integer not null,
    user_id blob references users (id) on delete cascade,
    created_at integer,
    seen_at integer,
    agent text,
    address text
) strict, without rowid;

create index http_sessions_by_expiry on http_sessions (expires_at);
create index http_sessions_by_user on http_sessions (user_id);

-- People as OpenID Connect providers know them. subject is the provider's own name for a person; it never changes.
create table identities (
    issuer text not null,
    subject text not null,
    user_id blob not null references users (id) on delete cascade,
    email text not null,
    created_at integer not null,
    used_at integer,
    constraint identities__issuer__subject primary key (issuer, subject),
    constraint identities__user_id__issuer unique (user_id, issuer)
) strict, without rowid;

-- Sign-ins that are with a provider now. user_id: the person who links an account; null for a sign-in.
create table sign_in_attempts (
    state_hash text not null primary key,
    binding_hash text not null,
    user_id blob references users (id) on delete cascade,
    return_to text,
    expires_at integer not null
) strict, without rowid;

create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at);

-- Links sent by email: one of a purpose per person, and only a digest of the secret.
create table account_tokens (
    secret_hash text not null primary key,
    user_id blob not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('verify_email', 'reset_password')),
    email text not null,
    created_at integer not null,
    expires_at integer not null,
    constraint account_tokens__user_id__purpose unique (user_id, purpose)
) strict, without rowid;

create index account_tokens_by_expiry on account_tokens (expires_at);

-- Authenticator apps. last_step: the time step of the last accepted code, so that no code counts twice. failures: wrong codes since then.
create table second_factors (
    user_id blob not null primary key references users (id) on delete cascade,
    sealed text not null,
    confirmed_at integer,
    last_step integer,
    failures integer not null default 0,
    blocked_until integer,
    created_at integer not null
) strict;

-- One-time codes for people who lost their authenticator app.
create table recovery_codes (
    user_id blob not null references users (id) on delete cascade,
    code_hash text not null,
    primary key (user_id, code_hash)
) strict, without rowid;

-- Wrong passwords, counted per account and address instead of listed, so that an attacker cannot fill the table. noted_at: the last audit entry.
create table failed_sign_ins (
    user_id blob not null references users (id) on delete cascade,
    address text not null,
    attempts integer not null,
    first_at integer not null,
    last_at integer not null,
    noted_at integer,
    primary key (user_id, address)
) strict, without rowid;

create index failed_sign_ins_by_last on failed_sign_ins (last_at);

-- Access tokens for scripts and MCP clients: only a digest of the secret. hint is how the token begins, so that its owner recognizes it.
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


-- Networks

-- Our access to ad networks. label tells several connections of a network apart; label_key is the label in lower case, made by the
-- program, so that both engines compare alike. abilities: what the credentials may do, null until we looked. made counts new
-- credentials, not renewed tokens: what was approved for one set of credentials is not sent with another.
create table connections (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    network text not null,
    label text not null,
    label_key text not null,
    state text not null check (state in ('choose_account', 'connected', 'auth_failed')),
    message text,
    enabled integer not null,
    sandbox integer not null,
    sealed text not null,
    accounts text not null,
    abilities text,
    version integer not null,
    made integer not null default 1,
    created_by blob not null references users (id),
    consented_by blob references users (id) on delete set null,
    created_at integer not null,
    last_verified_at integer,
    constraint connections__workspace_id__network__label_key unique (workspace_id, network, label_key)
) strict;

-- Before a consent is revoked, we ask which other connections depend on it.
create index connections__consented_by on connections (consented_by);

-- Consents to revoke at networks. A row is written with what removed the connection; a worker does it later. workspace_id: which
-- workspace hears of a failure; null once that is gone. sealed is empty once settled.
create table revocations (
    id blob not null primary key,
    workspace_id blob references workspaces (id) on delete set null,
    connection_id blob not null,
    network text not null,
    sandbox integer not null,
    sealed text not null,
    state text not null check (state in ('waiting', 'done', 'failed')),
    attempts integer not null,
    next_at integer not null,
    created_at integer not null,
    settled_at integer,
    last_error text
) strict;

create index revocations_by_time on revocations (next_at) where state = 'waiting';
create index revocations_by_workspace on revocations (workspace_id);

-- What a person selected in a workspace: networks, apps, scope.
create table context_settings (
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    settings text not null,
    updated_at integer not null,
    primary key (workspace_id, user_id)
) strict, without rowid;


-- Chats

-- Conversations. kept: retention leaves it alone. shared_at: members of the workspace may read it. home_question and home_basis: home
-- began this chat, to answer which question from which state; both become null when the person continues the chat.
create table chat_sessions (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    title text not null,
    chat_only integer not null,
    kept integer not null default 0,
    shared_at integer,
    home_question text,
    home_basis text,
    created_at integer not null,
    updated_at integer not null
) strict;

create index chat_sessions_by_use on chat_sessions (workspace_id, user_id, updated_at, id);
create index chat_sessions_by_home on chat_sessions (workspace_id, user_id) where home_question is not null;
create index chat_sessions_shared on chat_sessions (workspace_id, shared_at) where shared_at is not null;

-- What people wrote. run_id has no foreign key: a message and its run are written in one transaction, in either order, and go with
-- their chat.
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

-- Questions that a person saved to ask again.
create table saved_questions (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    title text not null,
    question text not null,
    pinned integer not null,
    created_at integer not null,
    updated_at integer not null
) strict;

create index saved_questions_by_user on saved_questions (workspace_id, user_id, id);

-- What a workspace wants to get done. due: a day, as 2026-11-27. assignee_id: for whom; created_by: whose wish it was.
-- The id of one that a run made is its call's: so its run is found, and made twice it is made once.
create table todos (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    text text not null,
    due text,
    assignee_id blob references users (id) on delete set null,
    created_by blob references users (id) on delete set null,
    done_at integer,
    version integer not null,
    created_at integer not null,
    updated_at integer not null
) strict;

create index todos_open on todos (workspace_id, due, id) where done_at is null;

create index todos_done on todos (workspace_id, done_at, id) where done_at is not null;

create index todos_by_assignee on todos (assignee_id) where assignee_id is not null;

create index todos_by_creator on todos (created_by) where created_by is not null;

-- Texts that a workspace keeps. folder: a path; version: the newest. trashed_at: since when it is in the trash, from which it is deleted after a
-- while. words, title_words: the words of title, folder and text, folded by the program, by which it is found; both engines index them as they are.
create table documents (
    place integer primary key,
    id blob not null unique,
    workspace_id blob not null references workspaces (id) on delete cascade,
    title text not null,
    folder text not null,
    version integer not null,
    size integer not null,
    title_words text not null,
    words text not null,
    created_by blob references users (id) on delete set null,
    created_at integer not null,
    trashed_at integer
) strict;

create index documents_by_workspace on documents (workspace_id, id);

create index documents_trashed on documents (trashed_at) where trashed_at is not null;

create index documents_by_creator on documents (created_by) where created_by is not null;

-- The words are split at spaces, and at nothing else: `ascii` leaves every other letter alone. What is deleted leaves no word behind.
create virtual table document_words using fts5 (title_words, words, content = 'documents', content_rowid = 'place', tokenize = 'ascii');

insert into document_words (document_words, rank) values ('secure-delete', 1);

create trigger document_words_added after insert on documents
begin
    insert into document_words (rowid, title_words, words) values (new.place, new.title_words, new.words);
end;

create trigger document_words_removed after delete on documents
begin
    insert into document_words (document_words, rowid, title_words, words) values ('delete', old.place, old.title_words, old.words);
end;

create trigger document_words_changed after update of title_words, words on documents
begin
    insert into document_words (document_words, rowid, title_words, words) values ('delete', old.place, old.title_words, old.words);
    insert into document_words (rowid, title_words, words) values (new.place, new.title_words, new.words);
end;

-- Every save of a document, the newest of them. agent: the handle of the agent that wrote it for the person. call_id: the call that wrote it,
-- by which its run is found; a call writes once.
create table document_versions (
    document_id blob not null references documents (id) on delete cascade,
    workspace_id blob not null references workspaces (id) on delete cascade,
    number integer not null,
    title text not null,
    folder text not null,
    text text not null,
    size integer not null,
    written_by blob references users (id) on delete set null,
    agent text,
    call_id blob,
    at integer not null,
    primary key (document_id, number)
) strict;

create unique index document_versions__call on document_versions (workspace_id, call_id) where call_id is not null;

create index document_versions_by_writer on document_versions (written_by) where written_by is not null;

-- Servers of others whose tools a workspace uses. sign_in: how, without what is secret, which is sealed; tools: what was found there
-- and what people decided about it; both JSON. problem: why the last look failed. signed_in_at, sign_in_expired: of a sign-in with OAuth.
-- sealed_version: goes up whenever what is sealed changes. refresh_until: until when one process refreshes the tokens alone.
create table tool_servers (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    handle text not null,
    name text not null,
    url text not null,
    sign_in text not null,
    sealed text,
    sealed_version integer not null default 1,
    signed_in_at integer,
    sign_in_expired integer not null default 0 check (sign_in_expired in (0, 1)),
    refresh_until integer,
    enabled integer not null check (enabled in (0, 1)),
    problem text,
    tools text not null,
    left_out integer not null,
    created_by blob references users (id) on delete set null,
    version integer not null,
    checked_at integer not null,
    created_at integer not null,
    updated_at integer not null,
    constraint tool_servers__workspace_id__handle unique (workspace_id, handle)
) strict;

create index tool_servers_by_creator on tool_servers (created_by) where created_by is not null;

-- OAuth round trips under way, to a network or to a tool server. sandbox: the trip ends at the network where it began, simulated or real.
-- connection_id, adds and label say which connection it makes: a new one, one more under this label, or the network's first.
create table oauth_attempts (
    state_hash text not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    session_hash text not null,
    network text,
    sandbox integer not null default 0,
    connection_id blob,
    adds integer not null default 0,
    label text,
    tool_server_id blob references tool_servers (id) on delete cascade,
    sealed_verifier text not null,
    return_to text,
    expires_at integer not null,
    constraint oauth_attempts__one_target check ((network is null) <> (tool_server_id is null))
) strict, without rowid;

create index oauth_attempts_by_expiry on oauth_attempts (expires_at);

-- Agents. body: what people set, as JSON; handle and sharing are columns too, because they are looked for.
create table agents (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    owner_id blob not null references users (id) on delete cascade,
    handle text not null,
    -- Copies of what the body says, for lists that need no more. `called` is the name in lowercase.
    name text not null,
    called text not null,
    position text not null,
    description text not null,
    active integer not null,
    sharing text not null check (sharing in ('private', 'use', 'edit')),
    journal text not null check (journal in ('own', 'own_and_scheduled', 'full')),
    body text not null,
    version integer not null,
    created_at integer not null,
    updated_at integer not null,
    constraint agents__workspace_id__owner_id__handle unique (workspace_id, owner_id, handle)
) strict;

create index agents_by_handle on agents (workspace_id, handle);

-- What each version of an agent was, and who made it so.
create table agent_versions (
    agent_id blob not null references agents (id) on delete cascade,
    version integer not null,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob references users (id) on delete set null,
    body text not null,
    created_at integer not null,
    primary key (agent_id, version)
) strict;

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
    id blob not null primary key,
    workspace_id blob not null,
    kind text not null check (kind in ('turn', 'flow')),
    class text not null check (class in ('interactive', 'background')),
    lane blob not null,
    subject text not null,
    user_id blob not null,
    agent_id blob,
    trigger_id blob,
    session_id blob references chat_sessions (id) on delete cascade,
    message_id blob,
    parent_id blob references runs (id) on delete cascade,
    parent_path text,
    root_id blob not null,
    depth integer not null,
    status text not null check (
        status in ('queued', 'running', 'awaiting_approval', 'completed', 'failed', 'stopped', 'cancelled')
    ),
    model text not null,
    context text,
    asked_key text,
    cancel_requested integer not null default 0,
    last_seq integer not null default 0,
    answer text,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    cost_micros integer not null default 0,
    created_at integer not null,
    started_at integer,
    finished_at integer,
    claim_at integer,
    woken_at integer,
    epoch integer not null default 0,
    lease_owner text,
    lease_until integer,
    taken_from text,
    takeovers integer not null default 0,
    thinned integer not null default 0,
    constraint runs__parent_id__parent_path unique (parent_id, parent_path),
    constraint runs_of_turns check ((kind = 'turn') = (session_id is not null) and (session_id is null) = (message_id is null)),
    constraint runs_of_parents check ((parent_id is null) = (parent_path is null) and (parent_id is null) = (depth = 0))
) strict;

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
    run_id blob not null primary key references runs (id) on delete cascade,
    parent_id blob not null,
    parent_step integer not null,
    inherited_seq integer not null
) strict, without rowid;

create index run_origins_by_parent on run_origins (parent_id, run_id);

-- The record of a run; pages and streams are built from it.
create table run_events (
    run_id blob not null references runs (id) on delete cascade,
    seq integer not null,
    at integer not null,
    body text not null,
    constraint run_events__run_id__seq primary key (run_id, seq)
) strict, without rowid;

-- Saved states, from which a run continues or is forked.
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

-- Requests of a run to tools of a network.
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
    artifact text,
    created_at integer not null,
    updated_at integer not null
) strict;

create index tool_calls_by_run on tool_calls (run_id, created_at, id);

-- Decisions of people about changes. view: the card as it was shown. sent: what an edited approval sent, in words.
create table approvals (
    id blob not null primary key,
    workspace_id blob not null,
    user_id blob not null,
    run_id blob not null references runs (id) on delete cascade,
    session_id blob,
    tool_call_id blob not null,
    source text not null,
    status text not null check (status in ('pending', 'approved', 'denied', 'cancelled', 'expired')),
    digest text not null,
    view text not null,
    created_at integer not null,
    expires_at integer,
    answered_by blob,
    answered_by_name text,
    answered_at integer,
    edited_args text,
    sent text,
    reason text
) strict;

create index approvals_by_user on approvals (workspace_id, user_id, id);
create index approvals_by_run on approvals (run_id, id);
create index approvals_pending on approvals (workspace_id, id) where status = 'pending';
create index approvals_by_expiry on approvals (expires_at) where status = 'pending';


-- Usage of hosted models

-- What hosted models cost a workspace in a day. Days are those of the server's time zone.
create table workspace_usage (
    workspace_id blob not null references workspaces (id) on delete cascade,
    day text not null,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    cost_micros integer not null default 0,
    calls integer not null default 0,
    primary key (workspace_id, day)
) strict, without rowid;

-- What is set aside for questions to models that are under way, by their number within the run. The worker that takes a run over
-- books it.
create table usage_reservations (
    run_id blob not null references runs (id) on delete cascade,
    question integer not null,
    workspace_id blob not null,
    day text not null,
    model text not null,
    input_tokens integer not null,
    output_tokens integer not null,
    cost_micros integer not null,
    expires_at integer not null,
    primary key (run_id, question)
) strict, without rowid;

create index usage_reservations_by_day on usage_reservations (workspace_id, day);


-- Requests and mails

-- Answers to requests that carry an idempotency key: a repeat gets the same answer.
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

-- Mails to send. next_at: the time from which a mail may be claimed; while it is claimed, the end of the lease. sealed: recipient,
-- subject and text, because a mail may contain a secret link; empty once settled. expires_at: when the mail becomes pointless; a mail
-- that failed keeps its sealed content until then, so that it can be sent after all.
create table mail_queue (
    id blob not null primary key,
    kind text not null,
    sealed text not null,
    state text not null check (state in ('waiting', 'sent', 'failed')),
    attempts integer not null,
    next_at integer not null,
    created_at integer not null,
    settled_at integer,
    expires_at integer,
    last_error text
) strict;

create index mail_queue_by_turn on mail_queue (next_at, id) where state = 'waiting';
create index mail_queue_by_end on mail_queue (settled_at) where settled_at is not null;


-- Audit log

-- Who did what: a chain for each workspace, in which each row is numbered and carries a hash over itself and the hash before it.
-- Who and what are hashed separately, each with a salt of the row: erasing a person removes values and salts, and the chain still
-- holds. Rows without a number are outside the chain; the first numbered row of a workspace says how many there were. No foreign keys:
-- the record outlives what it names.
create table audit_log (
    id integer primary key,
    workspace_id blob not null,
    number integer,
    user_id blob not null,
    action text not null,
    target text not null,
    detail text not null,
    at integer not null,
    who_salt text,
    who text,
    what_salt text,
    what text,
    hash text
) strict;

create index audit_log_by_workspace on audit_log (workspace_id, at, id);
create unique index audit_log__workspace_id__number on audit_log (workspace_id, number);
create index audit_log_by_id on audit_log (workspace_id, id);
create index audit_log_by_user on audit_log (user_id, id);

-- The end of each chain; a writer locks it to append. unchained: rows outside the chain; unchained_gone: how many of these retention
-- deleted. pruned: the number up to which retention deleted rows, and the hash with which the rest begins. verified: the row up to
-- which a page has checked the chain.
create table audit_heads (
    workspace_id blob not null primary key,
    number integer not null,
    hash text not null,
    unchained integer not null,
    unchained_gone integer not null default 0,
    pruned integer not null,
    pruned_hash text not null,
    verified integer not null default 0,
    verified_hash text not null default ''
) strict;

-- Rows are deleted only after their chain was pruned up to them.
create trigger audit_log_not_deleted before delete on audit_log
when not exists (
    select 1 from audit_heads h where h.workspace_id = old.workspace_id and h.pruned >= coalesce(old.number, 0)
)
begin
    select raise(abort, 'audit_log is append-only');
end;

-- Rows are changed only to erase who or what, with its salt.
create trigger audit_log_not_changed before update on audit_log
when not (
    new.id = old.id and new.workspace_id = old.workspace_id and new.action = old.action and new.at = old.at
    and new.number is old.number and new.who is old.who and new.what is old.what and new.hash is old.hash
    and (
        (new.user_id = old.user_id and new.who_salt is old.who_salt)
        or (new.user_id = zeroblob(16) and new.who_salt is null)
    )
    and (
        (new.target = old.target and new.detail = old.detail and new.what_salt is old.what_salt)
        or (new.target = '' and new.detail = '{}' and new.what_salt is null)
    )
)
begin
    select raise(abort, 'audit_log is append-only');
end;
