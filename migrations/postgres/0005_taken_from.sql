-- Whose lease had run out when the run was last claimed; null when it had been given back.
alter table runs add column taken_from text;
