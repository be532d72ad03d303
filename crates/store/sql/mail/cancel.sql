delete from mail_queue
where id = $1 and state <> 'sent'
