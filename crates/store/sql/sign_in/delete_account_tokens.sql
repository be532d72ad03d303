delete from account_tokens
where user_id = $1 and purpose = $2
