-- Organisations with several people: one owner each, invitations by e-mail, shareable links, and the mails that are to be sent.

-- At most one owner; that there is always one is held by the statements, none of which takes the last away.
create unique index memberships__workspace_id on memberships (workspace_id) where role = 'owner';

-- invited_by has no foreign key: the invitation stands when the person who made it is gone.
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

-- Found by the digest of its token; sealed holds the token for those who may copy the link again.
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

-- next_at: from when on it may be claimed; while it is claimed, the end of the lease. sealed: recipient, subject and text, because
-- what a mail says may be as good as a key; empty once it is settled.
create table mail_queue (
    id uuid not null primary key,
    kind text not null,
    sealed text not null,
    state text not null check (state in ('waiting', 'sent', 'failed')),
    attempts bigint not null,
    next_at bigint not null,
    created_at bigint not null,
    settled_at bigint,
    last_error text
);

create index mail_queue_by_turn on mail_queue (next_at, id) where state = 'waiting';
create index mail_queue_by_end on mail_queue (settled_at) where settled_at is not null;
