set local statement_timeout to 0
