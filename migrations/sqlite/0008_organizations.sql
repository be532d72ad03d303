-- Organisations with several people: one owner each, invitations by e-mail, shareable links, and the mails that are to be sent.

-- At most one owner; that there is always one is held by the statements, none of which takes the last away.
create unique index memberships__workspace_id on memberships (workspace_id) where role = 'owner';

-- invited_by has no foreign key: the invitation stands when the person who made it is gone.
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

-- Found by the digest of its token; sealed holds the token for those who may copy the link again.
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

-- next_at: from when on it may be claimed; while it is claimed, the end of the lease. sealed: recipient, subject and text, because
-- what a mail says may be as good as a key; empty once it is settled.
create table mail_queue (
    id blob not null primary key,
    kind text not null,
    sealed text not null,
    state text not null check (state in ('waiting', 'sent', 'failed')),
    attempts integer not null,
    next_at integer not null,
    created_at integer not null,
    settled_at integer,
    last_error text
) strict;

create index mail_queue_by_turn on mail_queue (next_at, id) where state = 'waiting';
create index mail_queue_by_end on mail_queue (settled_at) where settled_at is not null;
