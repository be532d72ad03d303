-- What the credentials of a connection may do, as far as somebody looked; null where nobody did.
alter table connections add column abilities text;

-- Counts up when the connection is made anew with other credentials, and not when its tokens are renewed: what was approved for
-- one is not sent through another.
alter table connections add column made bigint not null default 1;

-- Where the round trip began, at the simulated network or at the real one: there it ends too.
alter table oauth_attempts add column sandbox boolean not null default false;
