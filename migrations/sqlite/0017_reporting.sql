-- In which time zone a workspace counts its days; no row: as its accounts do.
create table workspace_reporting (
    workspace_id blob not null primary key references workspaces (id) on delete cascade,
    time_zone text not null,
    updated_at integer not null
) strict;
