-- Chats that home began for a person: which of its questions they answer, and what held when it was asked. A person who goes on in one makes
-- it theirs, and both are empty again.
alter table chat_sessions add column home_question text;
alter table chat_sessions add column home_basis text;

create index chat_sessions_by_home on chat_sessions (workspace_id, user_id) where home_question is not null;

-- Questions a person wants to ask again.
create table saved_questions (
    id blob not null primary key,
    workspace_id blob not null references workspaces (id) on delete cascade,
    user_id blob not null references users (id) on delete cascade,
    title text not null,
    question text not null,
    pinned integer not null,
    created_at integer not null,
    updated_at integer not null
) strict;

create index saved_questions_by_user on saved_questions (workspace_id, user_id, id);

-- Chats that every member of the workspace may read.
alter table chat_sessions add column shared_at integer;

create index chat_sessions_shared on chat_sessions (workspace_id, shared_at) where shared_at is not null;
