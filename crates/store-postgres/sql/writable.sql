select cast(current_setting('transaction_read_only') as boolean) as read_only
