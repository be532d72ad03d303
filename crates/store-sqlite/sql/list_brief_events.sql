select
    run_id, seq, at,
    case
        when octet_length(body) > $17 and body like '{"type":"tool_result",%' then
            json_set(json_remove(body, '$.artifact'), '$.result', json_object('omitted_bytes', octet_length(body)))
        else body
    end as body
from run_events
where run_id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
order by run_id, seq
