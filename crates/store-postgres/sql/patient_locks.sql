set local lock_timeout to 0
