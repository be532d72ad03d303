with recursive under (id) as (
    select c.id from runs c
    where c.parent_id = $1
    union all
    select c.id from under u
    join runs c on c.parent_id = u.id
)
select id
from runs
where
    id in (select u.id from under u)
    and not cancel_requested
    and status in ('queued', 'running', 'awaiting_approval')
order by depth desc, id
