delete from http_sessions
where
    user_id = $1
    and id <> $4
    and expires_at > $3
    and id not in (
        select id from http_sessions
        where user_id = $1 and id <> $4 and expires_at > $3
        order by seen_at desc, id
        limit $2
    )
