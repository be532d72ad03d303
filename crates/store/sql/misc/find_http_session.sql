select id, data, expires_at
from http_sessions
where id = $1 and expires_at > $2
