set local synchronous_commit to on
