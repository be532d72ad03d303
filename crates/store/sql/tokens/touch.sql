update access_tokens
set last_used_at = $2
where id = $1 and (last_used_at is null or last_used_at < $2)
