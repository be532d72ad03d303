-- What hosted models cost a workspace in a day, and what is set aside for calls under way. Days are named as the operator's time
-- zone has them.

create table workspace_usage (
    workspace_id uuid not null references workspaces (id) on delete cascade,
    day text not null,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    cost_micros bigint not null default 0,
    calls bigint not null default 0,
    primary key (workspace_id, day)
);

-- At most one of a run: it asks one model at a time.
create table usage_reservations (
    run_id uuid not null primary key references runs (id) on delete cascade,
    workspace_id uuid not null,
    day text not null,
    cost_micros bigint not null,
    expires_at bigint not null
);

create index usage_reservations_by_day on usage_reservations (workspace_id, day);
