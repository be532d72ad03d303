delete from saved_questions
where workspace_id = $1 and user_id = $2 and id = $3
