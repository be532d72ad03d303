update audit_log
set target = '', detail = '{}', what_salt = null
where
    workspace_id = $1
    and (target <> '' or detail <> '{}')
    and (lower(target) = $2 or replace(lower(detail), $3, '') <> lower(detail))
