insert into identities (issuer, subject, user_id, email, created_at, used_at)
values ($1, $2, $3, $4, $5, $6)
