insert into run_checkpoints (id, run_id, step, seq, node, state, created_at)
select v.column1, $1, v.column2, v.column3, v.column4, v.column5, v.column6
from (
    values
        ($3, $4, $5, $6, $7, $8),
        ($9, $10, $11, $12, $13, $14),
        ($15, $16, $17, $18, $19, $20),
        ($21, $22, $23, $24, $25, $26),
        ($27, $28, $29, $30, $31, $32),
        ($33, $34, $35, $36, $37, $38),
        ($39, $40, $41, $42, $43, $44),
        ($45, $46, $47, $48, $49, $50)
) as v
where
    v.column1 is not null
    and $2 = 1 + coalesce((select max(c.step) from run_checkpoints c where c.run_id = $1), 0)
