select issuer, subject, user_id, email, created_at, used_at
from identities
where user_id = $1
order by issuer
