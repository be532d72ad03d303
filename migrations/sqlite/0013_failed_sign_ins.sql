-- Wrong passwords at an account that is there, by where they came from: counted, not listed, so that whoever guesses fills nothing.
-- noted_at: when the audit log last heard of it.
create table failed_sign_ins (
    user_id blob not null references users (id) on delete cascade,
    address text not null,
    attempts integer not null,
    first_at integer not null,
    last_at integer not null,
    noted_at integer,
    primary key (user_id, address)
) strict, without rowid;

create index failed_sign_ins_by_last on failed_sign_ins (last_at);
