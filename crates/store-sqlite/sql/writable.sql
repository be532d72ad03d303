pragma user_version = 0
