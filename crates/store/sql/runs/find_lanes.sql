select r.lane, p.lane as parent_lane
from runs r
left join runs p on p.id = r.parent_id
where r.id = $1
