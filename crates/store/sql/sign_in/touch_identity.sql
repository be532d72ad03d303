update identities
set used_at = $3, email = $4
where issuer = $1 and subject = $2
