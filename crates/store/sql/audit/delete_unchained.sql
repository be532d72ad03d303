delete from audit_log
where
    id in (
        select a.id
        from audit_log a
        where a.workspace_id = $1 and a.number is null and a.at < $2
        order by a.id
        limit $3
    )
