insert into http_sessions (id, data, expires_at)
values ($1, $2, $3)
on conflict (id) do update set data = excluded.data, expires_at = excluded.expires_at
