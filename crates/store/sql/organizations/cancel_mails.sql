delete from mail_queue
where
    state <> 'sent'
    and id in (select i.mail_id from invitations i where i.workspace_id = $1 and i.status = 'pending')
