delete from mail_queue
where settled_at is not null and settled_at <= $1
