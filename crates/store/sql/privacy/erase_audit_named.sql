update audit_log
set target = '', detail = '{}', what_salt = null
where (target <> '' or detail <> '{}') and replace(detail, $1, '') <> detail
