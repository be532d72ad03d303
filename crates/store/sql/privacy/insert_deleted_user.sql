insert into deleted_users (
    id, anonymous_id, account_created_on, account_deleted_on, account_lifetime_days, total_chat_sessions, total_messages,
    had_connected_providers, deletion_reason
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
