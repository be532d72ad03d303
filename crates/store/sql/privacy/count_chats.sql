select
    (select count(*) from chat_sessions where user_id = $1) as chats,
    (select count(*) from messages where author_id = $1) as messages,
    (select count(*) from connections where created_by = $1) as connections
