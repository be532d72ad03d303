update audit_log
set target = '', detail = '{}', what_salt = null
where
    (target <> '' or detail <> '{}')
    and (replace(lower(detail), $1, '') <> lower(detail) or replace(lower(target), $1, '') <> lower(target))
