update oauth_attempts
set sealed_verifier = $3
where state_hash = $1 and sealed_verifier = $2
