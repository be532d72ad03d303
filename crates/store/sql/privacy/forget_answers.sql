update approvals
set answered_by = null, answered_by_name = null
where answered_by = $1
