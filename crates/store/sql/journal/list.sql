select
    r.id, r.session_id, r.agent_id, a.body as agent_body, r.status, m.content as question, r.answer, r.cost_micros, r.finished_at
from runs r
join messages m on m.id = r.message_id
left join agents a on a.id = r.agent_id and a.workspace_id = r.workspace_id
where
    r.workspace_id = $1
    and r.user_id = $2
    and r.finished_at is not null
    and ($3 = 'any' or ($3 = 'default' and r.agent_id is null) or ($3 = 'one' and r.agent_id = $4))
    and ($5 is null or r.finished_at >= $5)
    and ($6 is null or r.finished_at < $6)
    and ($7 is null or r.status = $7)
    and ($8 is null or lower(m.content) like $8 escape '\' or lower(coalesce(r.answer, '')) like $8 escape '\')
    and ($9 is null or r.id < $9)
    and not exists (select 1 from chat_sessions s where s.id = r.session_id and s.home_question is not null)
order by r.id desc
limit $10
