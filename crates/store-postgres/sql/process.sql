select gen_random_uuid() as process, cast(current_schema() as text) as schema
