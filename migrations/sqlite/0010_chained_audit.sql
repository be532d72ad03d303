-- The audit log becomes a chain for each workspace: every row is numbered and carries a hash over itself and the hash before it.
-- Who and what are hashed apart, each with a salt of the row: erasing a person takes values and salts, and the chain still holds.
-- Rows from before stay outside (number is null); the first chained row of a workspace notes how many there were.

alter table audit_log add column number integer;
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
    workspace_id blob not null primary key,
    number integer not null,
    hash text not null,
    unchained integer not null,
    pruned integer not null,
    pruned_hash text not null
) strict;

insert into audit_heads (workspace_id, number, hash, unchained, pruned, pruned_hash)
select workspace_id, 0, '', count(*), -1, ''
from audit_log
group by workspace_id;

create trigger audit_log_not_deleted before delete on audit_log
when not exists (
    select 1 from audit_heads h where h.workspace_id = old.workspace_id and h.pruned >= coalesce(old.number, 0)
)
begin
    select raise(abort, 'audit_log is append-only');
end;

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

-- What a workspace lets go sooner than the operator does; null: as the operator says.
create table workspace_retention (
    workspace_id blob not null primary key references workspaces (id) on delete cascade,
    runs_days integer,
    checkpoints_days integer,
    audit_days integer,
    updated_at integer not null
) strict;

-- Of people who had their account erased nothing but what nobody can be found by.
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
