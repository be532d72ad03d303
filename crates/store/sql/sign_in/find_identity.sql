select issuer, subject, user_id, email, created_at, used_at
from identities
where issuer = $1 and subject = $2
