update runs
set thinned = true
where id = $1
