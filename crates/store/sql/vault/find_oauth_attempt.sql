select state_hash, sealed_verifier
from oauth_attempts
where state_hash = $1
