insert into audit_heads (workspace_id, number, hash, unchained, pruned, pruned_hash)
values ($1, 1, '', 0, -1, '')
on conflict (workspace_id) do update set number = audit_heads.number + 1
returning number, hash, unchained
