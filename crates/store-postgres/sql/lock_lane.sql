select 1 as held
from pg_advisory_xact_lock(hashtextextended(current_schema() || cast($1 as text), 0))
