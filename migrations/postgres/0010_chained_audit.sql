-- The audit log becomes a chain for each workspace: every row is numbered and carries a hash over itself and the hash before it.
-- Who and what are hashed apart, each with a salt of the row: erasing a person takes values and salts, and the chain still holds.
-- Rows from before stay outside (number is null); the first chained row of a workspace notes how many there were.

alter table audit_log add column number bigint;
alter table audit_log add column who_salt text;
alter table audit_log add column who text;
alter table audit_log add column what_salt text;
alter table audit_log add column what text;
alter table audit_log add column hash text;

create unique index audit_log__workspace_id__number on audit_log (workspace_id, number);
create index audit_log_by_id on audit_log (workspace_id, id);
create index audit_log_by_user on audit_log (user_id, id);

-- The end of each chain. Locked by whoever appends; pruned: up to which number rows were let go, and the hash the rest begins with.
create table audit_heads (
    workspace_id uuid not null primary key,
    number bigint not null,
    hash text not null,
    unchained bigint not null,
    pruned bigint not null,
    pruned_hash text not null
);

insert into audit_heads (workspace_id, number, hash, unchained, pruned, pruned_hash)
select workspace_id, 0, '', count(*), -1, ''
from audit_log
group by workspace_id;

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

-- What a workspace lets go sooner than the operator does; null: as the operator says.
create table workspace_retention (
    workspace_id uuid not null primary key references workspaces (id) on delete cascade,
    runs_days bigint,
    checkpoints_days bigint,
    audit_days bigint,
    updated_at bigint not null
);

-- Of people who had their account erased nothing but what nobody can be found by.
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

-- The second fence: in a transaction that says its workspace (set local adagent.workspace) no row of another is there, whatever a
-- statement asks for. Without the word everything is: workers claim runs of all workspaces. Forced, because the server owns its tables.

do $$
declare
    fenced text;
begin
    foreach fenced in array array[
        'connections', 'oauth_attempts', 'context_settings', 'chat_sessions', 'messages', 'runs', 'tool_calls', 'approvals',
        'idempotency_keys', 'audit_log', 'audit_heads', 'workspace_usage', 'usage_reservations', 'access_tokens', 'invitations',
        'invite_links', 'workspace_retention'
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
    -- Of a run, and so of its workspace: the run itself must be in sight.
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
end
$$;
