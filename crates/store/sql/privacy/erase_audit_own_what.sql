update audit_log
set target = '', detail = '{}', what_salt = null
where
    user_id = $1
    and (target <> '' or detail <> '{}')
    and (replace(detail, $2, '') <> detail or replace(target, $2, '') <> target)
