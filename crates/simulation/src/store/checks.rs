//! What must be true of every commit, whichever process made it. Compares a run before and after, and trusts none of the store's own
//! checks.

use adagent_contract::{ApprovalStatus, EventBody, MOST_DEPTH, RunStatus};
use adagent_domain::{LaneId, RunId, ToolCallId};
use adagent_store::{CallStatus, Lease};

use super::{Db, Filed, is_open, unit::short};
use crate::sim::{Sim, lock};

/// Checks one run of a commit.
pub(super) fn commit(sim: &Sim, db: &Db, before: Option<&Filed>, after: &Filed, leases: &[Lease]) {
    let run = &after.row.run;
    let name = short(run.id.0);
    let say = |what: String| sim.violate(format!("run {name}: {what}"));
    if let (Some(before), Some(lease)) = (before, leases.iter().find(|lease| lease.run == run.id))
        && !before.row.is_held_by(lease)
        && before.row.run.epoch >= lease.epoch
    {
        say(format!(
            "a stale epoch commits: {} of {}, the row is at {}",
            lease.epoch, lease.owner, before.row.run.epoch
        ));
    }
    events(before, after, &say);
    checkpoints(before, after, &say);
    calls(before, after, &say);
    plan(before, after, &say);
    approvals(before, after, &say);
    questions(sim, db, before, after, &say);
    if before.is_some_and(|before| before.row.run.status.is_final())
        && before.map(|b| b.row.run.status) != Some(run.status)
    {
        say(format!("it was over and is {} now", run.status.as_str()));
    }
    if run.status.is_final() {
        if !matches!(after.events.last().map(|event| &event.body), Some(EventBody::Done { .. })) {
            say("it is over, and its last event is not `done`".into());
        }
        if after.approvals.iter().any(|record| record.view.status == ApprovalStatus::Pending) {
            say("it is over, and a question to a person is still open".into());
        }
        if let Some(call) = after.calls.iter().find(|call| is_unsettled(call.status)) {
            say(format!("it is over, and call {} is {}", short(call.id.0), call.status.as_str()));
        }
    }
}

/// Checks each open run of a lane: it works, a worker may claim it, it asks a person, or it has open children. A queued run may also wait
/// for another run of the lane.
pub(super) fn turns(sim: &Sim, db: &Db, lane: LaneId) {
    let open = || db.runs.values().filter(|filed| filed.row.run.lane == lane && is_open(filed.row.run.status));
    let goes = |filed: &Filed| filed.row.owner.is_some() || filed.row.claim_at.is_some();
    let asks = |filed: &Filed| filed.approvals.iter().any(|record| record.view.status == ApprovalStatus::Pending);
    let has_children = |filed: &Filed| children(db, filed).any(|child| is_open(child.row.run.status));
    // The runs below it work.
    let works = |filed: &Filed| filed.row.run.status == RunStatus::Running && has_children(filed);
    let work_goes_on = open().any(|filed| goes(filed) || works(filed));
    let stuck = |filed: &Filed| match filed.row.run.status {
        RunStatus::Queued => !work_goes_on,
        _ => !goes(filed) && !asks(filed) && !has_children(filed),
    };
    if let Some(filed) = open().find(|filed| stuck(filed)) {
        let name = short(filed.row.run.id.0);
        sim.violate(format!(
            "run {name} is {}: nobody holds it, nobody may claim it, it asks nobody, and no other goes before it",
            filed.row.run.status.as_str()
        ));
    }
}

fn children<'a>(db: &'a Db, parent: &Filed) -> impl Iterator<Item = &'a Filed> {
    let id = parent.row.run.id;
    let filed = db.runs.values().map(|filed| &**filed);
    filed.filter(move |filed| filed.row.run.parent.as_ref().is_some_and(|above| above.run == id))
}

/// Checks that no run works on for a parent that has ended, that a run's agent is not also at work above it, and that it is not too deep.
pub(super) fn family(sim: &Sim, db: &Db, run: RunId) {
    let Some(filed) = db.runs.get(&run) else { return };
    let of = &filed.row.run;
    let say = |what: &str| sim.violate(format!("run {}: {what}", short(run.0)));
    if of.status.is_final() {
        let left = |child: &Filed| is_open(child.row.run.status) && !child.row.run.cancel_requested;
        if children(db, filed).any(left) {
            say("it is over, and a run that it began works on");
        }
    }
    if of.depth > MOST_DEPTH {
        say("it is too deep");
    }
    let parent = |below: &Filed| db.runs.get(&below.row.run.parent.as_ref()?.run).map(|above| &**above);
    let mut above = std::iter::successors(parent(filed), |one| parent(one));
    if of.principal.agent.is_some() && above.any(|one| one.row.run.principal.agent == of.principal.agent) {
        say("its agent is at work above it");
    }
}

const fn is_unsettled(status: CallStatus) -> bool {
    matches!(status, CallStatus::Prepared | CallStatus::Approved | CallStatus::Sending)
}

fn events(before: Option<&Filed>, after: &Filed, say: &dyn Fn(String)) {
    let old = before.map_or(0, |filed| filed.events.len());
    let over = before.is_some_and(|filed| filed.row.run.status.is_final());
    if over && after.events.len() != old {
        say("events after its end".into());
    }
    for (index, event) in after.events.iter().enumerate().skip(old) {
        if event.seq != index as u64 + 1 {
            say(format!("event {} follows {index} events", event.seq));
        }
        if let EventBody::Error { code, content, .. } = &event.body
            && code == "internal"
        {
            say(format!("a defect of the driver ended it: {content}"));
        }
        if matches!(event.body, EventBody::Done { .. }) && !after.row.run.status.is_final() {
            say("`done` while it is not over".into());
        }
    }
    if after.row.run.last_seq != after.events.len() as u64 {
        say(format!("its row says {} events, there are {}", after.row.run.last_seq, after.events.len()));
    }
}

fn checkpoints(before: Option<&Filed>, after: &Filed, say: &dyn Fn(String)) {
    let Some(last) = after.checkpoints.last() else { return };
    if before.and_then(|filed| filed.checkpoints.last()).is_some_and(|old| old.step > last.step) {
        say("its states go back".into());
    }
    for pair in after.checkpoints.windows(2) {
        if pair[0].step + 1 != pair[1].step || pair[0].seq > pair[1].seq {
            say(format!("state {} follows {}", pair[1].step, pair[0].step));
        }
    }
    if last.seq > after.row.run.last_seq {
        say(format!("state {} knows event {}, there are {}", last.step, last.seq, after.row.run.last_seq));
    }
}

/// Checks whether this commit contains a person's approval of the call.
fn answered(before: &Filed, after: &Filed, call: ToolCallId) -> bool {
    let yes = |filed: &Filed| {
        let of_it = filed.approvals.iter().filter(|record| record.view.tool_call_id == call);
        of_it.filter(|record| record.view.status == ApprovalStatus::Approved).count()
    };
    yes(after) > yes(before)
}

/// Checks that a change of a plan is sent only after the changes before it are settled, and never after an approved one failed.
fn plan(before: Option<&Filed>, after: &Filed, say: &dyn Fn(String)) {
    let plans = after.events.iter().rev().filter_map(|event| match &event.body {
        EventBody::Plan { plan } => Some(plan),
        _ => None,
    });
    let Some(plan) = plans.take(1).next() else { return };
    let status = |filed: &Filed, id: ToolCallId| filed.calls.iter().find(|call| call.id == id).map(|call| call.status);
    let approved = |id: ToolCallId| {
        let of_it = after.approvals.iter().filter(|record| record.view.tool_call_id == id);
        of_it.map(|record| record.view.status).any(|status| status == ApprovalStatus::Approved)
    };
    let steps: Vec<ToolCallId> = plan.steps.iter().filter_map(|step| step.tool_call_id).collect();
    for (at, id) in steps.iter().enumerate() {
        let sends = |filed: &Filed| status(filed, *id) == Some(CallStatus::Sending);
        if !sends(after) || before.is_some_and(sends) {
            continue;
        }
        for earlier in &steps[..at] {
            match status(after, *earlier) {
                Some(open) if is_unsettled(open) => {
                    say(format!("step {} leaves while a step before it is {}", short(id.0), open.as_str()));
                }
                Some(CallStatus::Failed | CallStatus::Unknown) if approved(*earlier) => {
                    say(format!("step {} leaves after one before it failed", short(id.0)));
                }
                _ => {}
            }
        }
    }
}

fn calls(before: Option<&Filed>, after: &Filed, say: &dyn Fn(String)) {
    use CallStatus as Is;
    let Some(before) = before else { return };
    for call in &after.calls {
        let Some(old) = before.calls.iter().find(|old| old.id == call.id) else { continue };
        let legal = match (old.status, call.status) {
            (a, b) if a == b => true,
            (Is::Prepared, Is::Succeeded) => call.read_only,
            // Each approval of the call needs its own answer.
            (Is::Prepared, Is::Approved) => !call.read_only && answered(before, after, call.id),
            (Is::Prepared, Is::Failed | Is::Denied | Is::Unknown)
            // Back to prepared: the card did not show everything. The run asks the person again, and sends nothing without another answer.
            | (Is::Approved, Is::Sending | Is::Failed | Is::Denied | Is::Unknown | Is::Prepared)
            // One commit may record that the write was checked, was not found and was declined: from `sending` to `denied`.
            | (Is::Sending, Is::Succeeded | Is::Failed | Is::Unknown | Is::Prepared | Is::Denied) => true,
            _ => false,
        };
        if !legal {
            say(format!("call {} goes from {} to {}", short(call.id.0), old.status.as_str(), call.status.as_str()));
        }
        if old.status == Is::Sending && call.status == Is::Sending && old.digest != call.digest {
            say(format!("call {} changes while it is sent", short(call.id.0)));
        }
    }
    if before.calls.len() > after.calls.len() {
        say("a call is gone".into());
    }
}

/// Checks a new approval for a change that this run or a related one may already have made: the card must tell the person so.
fn questions(sim: &Sim, db: &Db, before: Option<&Filed>, after: &Filed, say: &dyn Fn(String)) {
    if !sim.plan.clocks_agree() {
        return;
    }
    for record in &after.approvals {
        let known = before.is_some_and(|filed| filed.approvals.iter().any(|old| old.view.id == record.view.id));
        if known || record.view.status != ApprovalStatus::Pending {
            continue;
        }
        let mut calls = db.of_the_family(after.row.run.id);
        calls.extend(after.calls.iter().map(|call| call.id));
        let warned = |what: &str| record.view.warnings.iter().any(|warning| warning.contains(what));
        let name = short(record.view.id.0);
        for sent in &mut lock(&sim.books).sent {
            if sent.object != record.digest || !calls.contains(&sent.call) {
                continue;
            }
            sent.asked_again = true;
            if sent.applied > 0 && record.view.warnings.is_empty() {
                say(format!("approval {name} asks for what is there already, without a word about it"));
            }
            if sent.applied > 0 && sent.call == record.view.tool_call_id && warned("the change isn't there") {
                say(format!("approval {name} says that the change is not there, and it is"));
            }
        }
    }
}

fn approvals(before: Option<&Filed>, after: &Filed, say: &dyn Fn(String)) {
    for record in &after.approvals {
        let name = short(record.view.id.0);
        let old = before.and_then(|filed| filed.approvals.iter().find(|old| old.view.id == record.view.id));
        if let Some(old) = old
            && old.view.status != ApprovalStatus::Pending
            && old != record
        {
            say(format!("approval {name} was {:?} and is answered again: {:?}", old.view.status, record.view.status));
        }
        if old.is_none() && record.view.status == ApprovalStatus::Pending {
            // The run asks again about a change that it may have sent, so the card must say so.
            let again = after.approvals.iter().any(|other| {
                other.view.tool_call_id == record.view.tool_call_id
                    && other.view.id != record.view.id
                    && other.view.status == ApprovalStatus::Approved
            });
            if again && record.view.warnings.is_empty() {
                say(format!(
                    "approval {name} asks again about a change that was approved before, without a word about it"
                ));
            }
        }
    }
    if before.is_some_and(|filed| filed.approvals.len() > after.approvals.len()) {
        say("an approval is gone".into());
    }
}
