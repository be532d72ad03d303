-- Where a run was forked from. The parent has no foreign key: it may be forgotten before its forks.
create table run_origins (
    run_id blob not null primary key references runs (id) on delete cascade,
    parent_id blob not null,
    parent_step integer not null,
    inherited_seq integer not null
) strict, without rowid;

create index run_origins_by_parent on run_origins (parent_id, run_id);

-- kept: the person wants this conversation kept whatever the policy says.
alter table chat_sessions add column kept integer not null default 0;

-- thinned: of an ended run only the last saved state is left.
alter table runs add column thinned integer not null default 0;

create index runs_by_end on runs (finished_at, id) where finished_at is not null;
create index runs_to_thin on runs (finished_at, id) where finished_at is not null and not thinned;
