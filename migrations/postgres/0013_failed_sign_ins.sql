-- Wrong passwords at an account that is there, by where they came from: counted, not listed, so that whoever guesses fills nothing.
-- noted_at: when the audit log last heard of it.
create table failed_sign_ins (
    user_id uuid not null references users (id) on delete cascade,
    address text not null,
    attempts bigint not null,
    first_at bigint not null,
    last_at bigint not null,
    noted_at bigint,
    primary key (user_id, address)
);

create index failed_sign_ins_by_last on failed_sign_ins (last_at);
