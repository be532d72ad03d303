-- How often in a row the run was taken from a worker whose lease had run out, without its row having been written in between.
alter table runs add column takeovers bigint not null default 0;

-- What the question was that something is set aside for; null where a program before this one set it aside. Whoever takes the run
-- over books it.
alter table usage_reservations add column model text;
alter table usage_reservations add column input_tokens bigint not null default 0;
alter table usage_reservations add column output_tokens bigint not null default 0;
