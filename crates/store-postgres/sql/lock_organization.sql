select id, kind, name, slug, created_at
from workspaces
where id = $1 and kind = 'organization'
for no key update
