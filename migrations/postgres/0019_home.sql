-- Chats that home began for a person: which of its questions they answer, and what held when it was asked. A person who goes on in one makes
-- it theirs, and both are empty again.
alter table chat_sessions add column home_question text;
alter table chat_sessions add column home_basis text;

create index chat_sessions_by_home on chat_sessions (workspace_id, user_id) where home_question is not null;

-- Questions a person wants to ask again.
create table saved_questions (
    id uuid not null primary key,
    workspace_id uuid not null references workspaces (id) on delete cascade,
    user_id uuid not null references users (id) on delete cascade,
    title text not null,
    question text not null,
    pinned boolean not null,
    created_at bigint not null,
    updated_at bigint not null
);

create index saved_questions_by_user on saved_questions (workspace_id, user_id, id);

alter table saved_questions enable row level security;
alter table saved_questions force row level security;
create policy workspace on saved_questions using (
    coalesce(current_setting('adagent.workspace', true), '') = ''
    or workspace_id = nullif(current_setting('adagent.workspace', true), '')::uuid
);

-- Chats that every member of the workspace may read.
alter table chat_sessions add column shared_at bigint;

create index chat_sessions_shared on chat_sessions (workspace_id, shared_at) where shared_at is not null;
