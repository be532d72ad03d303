select i.id as mark_id, cast(0 as bigint) as mark_number, i.id, i.workspace_id, i.role, i.status, i.created_at, i.expires_at, i.answered_at
from invitations i
where
    (
        i.invited_by = $1
        or exists (
            select 1
            from users u
            where
                u.id = $1
                and u.email_key = i.email_key
                and (u.email_verified_at is not null or i.status in ('accepted', 'rejected'))
                and (i.status = 'pending' or coalesce(u.email_verified_at, u.created_at) <= i.answered_at)
        )
    )
    and i.id > $2
    and $3 >= 0
order by i.id
limit $4
