-- Signing in: proven e-mail addresses, sign-in by OpenID Connect, links by mail, the second factor, and whose a browser session is.
alter table users add column email_verified_at integer;

-- Whose a session is, so that its person can see and end it.
alter table http_sessions add column user_id blob references users (id) on delete cascade;
alter table http_sessions add column created_at integer;
alter table http_sessions add column seen_at integer;
alter table http_sessions add column agent text;
alter table http_sessions add column address text;

-- Who is signed in now can be signed out by a new password too.
update http_sessions
set user_id = unhex(replace(json_extract(data, '$.signed_in.user'), '-', '')), created_at = expires_at - 1209600000000,
    seen_at = expires_at - 1209600000000, agent = '', address = ''
where data like '{"signed_in"%'
    and exists (select 1 from users where id = unhex(replace(json_extract(data, '$.signed_in.user'), '-', '')));

create index http_sessions_by_user on http_sessions (user_id);

-- Somebody whom an OpenID Connect provider knows: subject is the provider's word for them and never changes.
create table identities (
    issuer text not null,
    subject text not null,
    user_id blob not null references users (id) on delete cascade,
    email text not null,
    created_at integer not null,
    used_at integer,
    constraint identities__issuer__subject primary key (issuer, subject),
    constraint identities__user_id__issuer unique (user_id, issuer)
) strict, without rowid;

-- Links sent by mail: only a digest of the secret is kept, and one of a kind per person.
create table account_tokens (
    secret_hash text not null primary key,
    user_id blob not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('verify_email', 'reset_password')),
    email text not null,
    created_at integer not null,
    expires_at integer not null,
    constraint account_tokens__user_id__purpose unique (user_id, purpose)
) strict, without rowid;

create index account_tokens_by_expiry on account_tokens (expires_at);

-- last_step: the time step of the last code that was taken, so that no code counts twice. failures: guesses since the last right one.
create table second_factors (
    user_id blob not null primary key references users (id) on delete cascade,
    sealed text not null,
    confirmed_at integer,
    last_step integer,
    failures integer not null default 0,
    blocked_until integer,
    created_at integer not null
) strict;

create table recovery_codes (
    user_id blob not null references users (id) on delete cascade,
    code_hash text not null,
    primary key (user_id, code_hash)
) strict, without rowid;

-- A trip to the provider that has not come back. user_id: who links their account, otherwise whoever signs in.
create table sign_in_attempts (
    state_hash text not null primary key,
    binding_hash text not null,
    user_id blob references users (id) on delete cascade,
    return_to text,
    expires_at integer not null
) strict, without rowid;

create index sign_in_attempts_by_expiry on sign_in_attempts (expires_at);
