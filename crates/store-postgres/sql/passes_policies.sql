select rolsuper or rolbypassrls as passes from pg_roles where rolname = current_user
