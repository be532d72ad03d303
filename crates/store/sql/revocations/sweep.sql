delete from revocations
where state <> 'waiting' and (state = 'done' or workspace_id is null or settled_at <= $1)
