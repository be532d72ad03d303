select request_digest, answer
from idempotency_keys
where workspace_id = $1 and user_id = $2 and idempotency_key = $3
