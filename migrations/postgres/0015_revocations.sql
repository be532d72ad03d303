-- Consents that are to be taken back at networks: written with what removed the connection, done later by whoever claims it.
-- workspace_id: who hears of it when it does not work; nobody where the workspace is gone. sealed is empty once it is over.
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

alter table revocations enable row level security;
alter table revocations force row level security;
-- Those of workspaces that are gone are nobody's, and nobody's page shows them.
create policy workspace on revocations using (
    coalesce(current_setting('adagent.workspace', true), '') = ''
    or workspace_id = nullif(current_setting('adagent.workspace', true), '')::uuid
);

-- When what a mail says is over; a mail that was given up keeps its sealed content until then, so that it can be sent after all.
alter table mail_queue add column expires_at bigint;

-- Of the rows from before the chain: how many retention let go. verified: up to which row the page has followed the chain already.
alter table audit_heads add column unchained_gone bigint not null default 0;
alter table audit_heads add column verified bigint not null default 0;
alter table audit_heads add column verified_hash text not null default '';

update audit_heads set unchained_gone = unchained where pruned >= 0;
