delete from account_tokens
where expires_at <= $1
