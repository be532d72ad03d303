update revocations
set sealed = $3
where id = $1 and sealed = $2
