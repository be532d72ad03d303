update runs
set
    taken_from = lease_owner,
    takeovers = case when lease_owner is null then 0 else takeovers + 1 end,
    lease_owner = $1,
    lease_until = $3,
    claim_at = $3,
    woken_at = null,
    epoch = epoch + 1
where id = (
    select c.id from runs c
    where c.claim_at <= $2
    order by c.claim_at, c.id
    limit 1
    for no key update skip locked
)
returning
    id, workspace_id, user_id, session_id, message_id, status, model, epoch, cancel_requested, last_seq, answer,
    input_tokens, output_tokens, cost_micros, created_at, started_at, finished_at, lease_until, context, taken_from,
    takeovers
