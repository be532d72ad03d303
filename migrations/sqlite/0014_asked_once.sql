-- What a program asked for: while the run is open, the same person has no other with this key in this workspace, however many asked
-- at the same moment. Runs that are over leave the index.
alter table runs add column asked_key text;

create unique index runs__workspace_id__user_id__asked_key on runs (workspace_id, user_id, asked_key)
where asked_key is not null and status in ('queued', 'running', 'awaiting_approval');
