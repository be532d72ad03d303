insert into http_sessions (id, data, expires_at)
values ($1, $2, $3)
on conflict (id) do nothing
