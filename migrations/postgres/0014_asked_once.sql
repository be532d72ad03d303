-- What a program asked for: while the run is open, the same person has no other with this key in this workspace, however many asked
-- at the same moment. Runs that are over leave the index.
alter table runs add column asked_key text;

create unique index runs__workspace_id__user_id__asked_key on runs (workspace_id, user_id, asked_key)
where asked_key is not null and status in ('queued', 'running', 'awaiting_approval');

-- The second fence, where rows are read before a workspace is known: in a transaction that says its workspace these are changed in
-- that one only. The tables fenced already hold writes to it too: their policies are for every command.
do $$
declare
    fenced record;
    ours text;
begin
    for fenced in select * from (values ('memberships', 'workspace_id'), ('workspaces', 'id')) as f (name, of) loop
        ours := format(
            'coalesce(current_setting(''adagent.workspace'', true), '''') = ''''
            or %I = nullif(current_setting(''adagent.workspace'', true), '''')::uuid',
            fenced.of
        );
        execute format('alter table %I enable row level security', fenced.name);
        execute format('alter table %I force row level security', fenced.name);
        execute format('create policy seen on %I for select using (true)', fenced.name);
        execute format('create policy made on %I for insert with check (%s)', fenced.name, ours);
        execute format('create policy changed on %I for update using (%s)', fenced.name, ours);
        execute format('create policy removed on %I for delete using (%s)', fenced.name, ours);
    end loop;
end
$$;
