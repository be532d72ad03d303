update audit_log
set target = '', detail = '{}', what_salt = null
where
    user_id = $1
    and (target <> '' or detail <> '{}')
    and (action like 'token.%' or action like 'account.%' or action like 'context.%' or action like 'audit_log.%')
