insert into mail_queue (id, kind, sealed, state, attempts, next_at, created_at, settled_at, last_error, expires_at)
values ($1, $2, $3, 'waiting', 0, $4, $4, null, null, $5)
