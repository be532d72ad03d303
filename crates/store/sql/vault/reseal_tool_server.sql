update tool_servers
set sealed = $3
where id = $1 and sealed = $2
