select
    run_id, seq, at,
    case
        when
            octet_length(body) > $17
            and body like '{"type":"tool_result",%'
            and position('\u0000' in body) = 0
        then
            cast(
                (cast(body as jsonb) - 'artifact')
                || jsonb_build_object('result', jsonb_build_object('omitted_bytes', octet_length(body)))
                as text
            )
        else body
    end as body
from run_events
where run_id in ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
order by run_id, seq
