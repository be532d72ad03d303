-- Consents that are to be taken back at networks: written with what removed the connection, done later by whoever claims it.
-- workspace_id: who hears of it when it does not work; nobody where the workspace is gone. sealed is empty once it is over.
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

-- When what a mail says is over; a mail that was given up keeps its sealed content until then, so that it can be sent after all.
alter table mail_queue add column expires_at integer;

-- Of the rows from before the chain: how many retention let go. verified: up to which row the page has followed the chain already.
alter table audit_heads add column unchained_gone integer not null default 0;
alter table audit_heads add column verified integer not null default 0;
alter table audit_heads add column verified_hash text not null default '';

update audit_heads set unchained_gone = unchained where pruned >= 0;
