select id, user_id, created_at, seen_at, agent, address, expires_at
from http_sessions
where user_id = $1 and expires_at > $2
order by seen_at desc, id
limit $3
