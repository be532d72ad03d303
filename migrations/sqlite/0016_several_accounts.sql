-- A workspace may have several connections of one network: a label tells them apart, unique whatever the case of its letters
-- (label_key is the label in small letters, made by the program, so that both engines compare the same). Those there are get their
-- network's name. From here on a server of the version before this one cannot connect a network any more; reading goes on.
create table connections_labelled (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    network text not null,
    state text not null check (state in ('choose_account', 'connected', 'auth_failed')),
    enabled integer not null,
    sandbox integer not null,
    sealed text not null,
    accounts text not null,
    message text,
    version integer not null,
    created_by blob not null references users (id),
    created_at integer not null,
    last_verified_at integer,
    abilities text,
    made integer not null default 1,
    label text not null,
    label_key text not null,
    consented_by blob references users (id) on delete set null,
    constraint connections__workspace_id__network__label_key unique (workspace_id, network, label_key)
) strict;

insert into connections_labelled
select
    id, workspace_id, network, state, enabled, sandbox, sealed, accounts, message, version, created_by, created_at,
    last_verified_at, abilities, made,
    case network
        when 'admob' then 'AdMob'
        when 'admanager' then 'Google Ad Manager'
        when 'applovin' then 'AppLovin'
        when 'unity' then 'Unity'
        when 'mintegral' then 'Mintegral'
        when 'liftoff' then 'Liftoff'
        when 'inmobi' then 'InMobi'
        when 'pangle' then 'Pangle'
        when 'dtexchange' then 'DT Exchange'
        else network
    end,
    '',
    created_by
from connections;

update connections_labelled set label_key = lower(label);

drop table connections;
alter table connections_labelled rename to connections;

-- What else rests on a person's consent is asked before it is taken back.
create index connections__consented_by on connections (consented_by);

-- Which connection a round trip makes: one anew, one more under this label, or the network's first.
alter table oauth_attempts add column connection_id blob;
alter table oauth_attempts add column adds integer not null default 0;
alter table oauth_attempts add column label text;
