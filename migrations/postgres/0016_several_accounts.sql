-- A workspace may have several connections of one network: a label tells them apart, unique whatever the case of its letters
-- (label_key is the label in small letters, made by the program, so that both engines compare the same). Those there are get their
-- network's name. From here on a server of the version before this one cannot connect a network any more; reading goes on.
alter table connections drop constraint connections__workspace_id__network;
alter table connections add column label text;
alter table connections add column label_key text;
update connections set label = case network
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
end;
update connections set label_key = lower(label);
alter table connections add column consented_by uuid references users (id) on delete set null;
update connections set consented_by = created_by;
alter table connections alter column label set not null;
alter table connections alter column label_key set not null;
alter table connections add constraint connections__workspace_id__network__label_key unique (workspace_id, network, label_key);

-- What else rests on a person's consent is asked before it is taken back.
create index connections__consented_by on connections (consented_by);

-- Which connection a round trip makes: one anew, one more under this label, or the network's first.
alter table oauth_attempts add column connection_id uuid;
alter table oauth_attempts add column adds boolean not null default false;
alter table oauth_attempts add column label text;
