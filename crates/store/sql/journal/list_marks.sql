-- As list.sql, without what the runs said.
select o.* from (
    select
        r.id, r.agent_id, r.user_id, u.name as by_name, r.status, r.cost_micros, r.finished_at
    from runs r
    join messages m on m.id = r.message_id
    join chat_sessions s on s.id = r.session_id
    join users u on u.id = r.user_id
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
        and ($11 is null or r.user_id = $11)
        and s.home_question is null
    order by r.id desc
    limit $10
) o
union all
select t.* from (
    select
        r.id, r.agent_id, r.user_id, u.name as by_name, r.status, r.cost_micros, r.finished_at
    from agents a
    join runs r on r.agent_id = a.id and r.workspace_id = a.workspace_id
    join messages m on m.id = r.message_id
    join chat_sessions s on s.id = r.session_id
    join users u on u.id = r.user_id
    where
        a.workspace_id = $1
        and a.sharing <> 'private'
        and (a.journal = 'full' or (a.journal = 'own_and_scheduled' and r.trigger_id is not null))
        and r.user_id <> $2
        and r.finished_at is not null
        and ($3 = 'any' or ($3 = 'default' and r.agent_id is null) or ($3 = 'one' and r.agent_id = $4))
        and ($5 is null or r.finished_at >= $5)
        and ($6 is null or r.finished_at < $6)
        and ($7 is null or r.status = $7)
        and ($8 is null or lower(m.content) like $8 escape '\' or lower(coalesce(r.answer, '')) like $8 escape '\')
        and ($9 is null or r.id < $9)
        and ($11 is null or r.user_id = $11)
        and s.home_question is null
    order by r.id desc
    limit $10
) t
order by id desc
limit $10
