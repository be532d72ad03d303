delete from run_checkpoints
where
    run_id = $1
    and step not in (select c.step from run_checkpoints c where c.run_id = $1 order by c.step desc limit $2)
