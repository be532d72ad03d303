update saved_questions
set title = coalesce($4, title), pinned = coalesce($5, pinned), updated_at = $6
where workspace_id = $1 and user_id = $2 and id = $3
