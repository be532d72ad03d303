delete from mail_queue
where
    state <> 'sent'
    and id in (
        select i.mail_id
        from invitations i
        where
            i.workspace_id = $1
            and i.status = 'pending'
            and (i.invited_by = $2 or i.email_key = (select u.email_key from users u where u.id = $2))
    )
