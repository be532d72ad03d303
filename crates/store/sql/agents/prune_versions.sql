delete from agent_versions
where agent_id = $2 and workspace_id = $1 and version <= (select a.version from agents a where a.id = $2) - 50
