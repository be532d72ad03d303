-- What hosted models cost a workspace in a day, and what is set aside for calls under way. Days are named as the operator's time
-- zone has them.

create table workspace_usage (
    workspace_id blob not null references workspaces (id) on delete cascade,
    day text not null,
    input_tokens integer not null default 0,
    output_tokens integer not null default 0,
    cost_micros integer not null default 0,
    calls integer not null default 0,
    primary key (workspace_id, day)
) strict, without rowid;

-- At most one of a run: it asks one model at a time.
create table usage_reservations (
    run_id blob not null primary key references runs (id) on delete cascade,
    workspace_id blob not null,
    day text not null,
    cost_micros integer not null,
    expires_at integer not null
) strict, without rowid;

create index usage_reservations_by_day on usage_reservations (workspace_id, day);
