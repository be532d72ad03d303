-- Where a run was forked from. The parent has no foreign key: it may be forgotten before its forks.
create table run_origins (
    run_id uuid not null primary key references runs (id) on delete cascade,
    parent_id uuid not null,
    parent_step bigint not null,
    inherited_seq bigint not null
);

create index run_origins_by_parent on run_origins (parent_id, run_id);

-- kept: the person wants this conversation kept whatever the policy says.
alter table chat_sessions add column kept boolean not null default false;

-- thinned: of an ended run only the last saved state is left.
alter table runs add column thinned boolean not null default false;

create index runs_by_end on runs (finished_at, id) where finished_at is not null;
create index runs_to_thin on runs (finished_at, id) where finished_at is not null and not thinned;
