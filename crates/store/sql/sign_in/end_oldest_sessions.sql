delete from http_sessions
where user_id = $1
    and id not in (select id from http_sessions where user_id = $1 order by seen_at desc, id limit $2)
