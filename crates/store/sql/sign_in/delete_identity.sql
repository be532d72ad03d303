delete from identities
where user_id = $1 and issuer = $2
