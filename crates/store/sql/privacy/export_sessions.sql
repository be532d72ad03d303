select $2 as mark_id, s.mark_number, s.created_at, s.seen_at, s.expires_at, s.agent, s.address
from (
    select row_number() over (order by id) as mark_number, created_at, seen_at, expires_at, agent, address
    from http_sessions
    where user_id = $1
) s
where s.mark_number > $3
order by s.mark_number
limit $4
