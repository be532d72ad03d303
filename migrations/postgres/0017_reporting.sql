-- In which time zone a workspace counts its days; no row: as its accounts do.
create table workspace_reporting (
    workspace_id uuid not null primary key references workspaces (id) on delete cascade,
    time_zone text not null,
    updated_at bigint not null
);

alter table workspace_reporting enable row level security;
alter table workspace_reporting force row level security;
create policy workspace on workspace_reporting using (
    coalesce(current_setting('adagent.workspace', true), '') = ''
    or workspace_id = nullif(current_setting('adagent.workspace', true), '')::uuid
);
