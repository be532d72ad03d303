select user_id, purpose, email, created_at, expires_at
from account_tokens
where user_id = $1 and purpose = $2 and expires_at > $3
