select $2 as mark_id, s.mark_number, s.expires_at
from (
    select row_number() over (order by id) as mark_number, expires_at
    from http_sessions
    where replace(data, $1, '') <> data
) s
where s.mark_number > $3
order by s.mark_number
limit $4
