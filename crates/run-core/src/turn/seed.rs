//! New runs that begin inside an old one: the developer override and the fork. They never repeat a write of the old run.

use adagent_domain::{Ids, Source, Timestamp, ToolCallId};

use crate::{Call, CallState, Denial, Failures, Ledger, Limits, Node, Round, Spent, Turn};

/// Returns a run that begins with one corrected call. The call is checked and, if it writes, approved like any other.
pub fn override_call(
    old: &Turn,
    now: Timestamp,
    limits: &Limits,
    call: (ToolCallId, &str, Source, bool),
    digest: String,
) -> Turn {
    let mut state = given_call(Turn::new(Ledger::new(old.ledger.page.clone(), *limits, now)), call, digest);
    state.route.clone_from(&old.route);
    state.tools.clone_from(&old.tools);
    state
}

/// Returns a run that begins with one ready-made call instead of a question. The call is checked and, if it writes, approved like any
/// other.
pub fn given_call(mut state: Turn, call: (ToolCallId, &str, Source, bool), digest: String) -> Turn {
    let (id, name, source, read_only) = call;
    state.iterations = 1;
    state.node = Node::ToolExecutor;
    state.rounds.push(Round::Assistant { text: String::new(), calls: vec![id] });
    let mut call = Call::new(id, name.to_owned(), source, read_only, digest);
    call.given = true;
    state.ledger.calls.push(call);
    state
}

/// What differs in a fork.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkWith {
    /// The fork continues from the same state.
    Nothing,
    /// Another question. The fork decides everything again, but does not repeat the reads of the old run.
    Question,
    /// Other arguments of one call, by their digest. The fork proposes the call again and drops what followed from it.
    Args { call: ToolCallId, digest: String },
}

/// Why a fork cannot begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    #[error("This saved state has no such call.")]
    NoSuchCall,
    #[error("That change was sent already; ask for another one instead.")]
    AlreadySent,
}

const MADE_BEFORE: &str = "Made in the run this one was forked from.";

/// A write that a person approved in the old run, whatever its outcome, with the digest of the approved arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    pub call: ToolCallId,
    pub digest: String,
    /// Whether it worked.
    pub made: bool,
}

/// Returns a run that continues from a stored state of another one. Calls get new IDs. Writes that were not settled are denied, because the
/// old run may still send them. If the old run has sent one by now (`sent`), the fork keeps its outcome. The fork does not take over what
/// the old run spent, its failures, and the actions it asked people for. The pairs map each old call to its new one.
pub fn fork(
    old: &Turn,
    with: &ForkWith,
    sent: &[Sent],
    now: Timestamp,
    limits: &Limits,
    ids: &dyn Ids,
) -> Result<(Turn, Vec<(ToolCallId, ToolCallId)>), ForkError> {
    let mut state = match with {
        ForkWith::Nothing => old.clone(),
        ForkWith::Question => asked_anew(old, now, limits),
        ForkWith::Args { call, digest } => proposed_anew(old, *call, digest, sent)?,
    };
    (state.iterations, state.rewrites) = (0, 0);
    (state.failures, state.ledger.spent) = (Failures::default(), Spent::default());
    state.ledger.delegated = Spent::default();
    state.ledger.rows = 0;
    state.ledger.actions.clear();
    state.ledger.broke.clear();
    state.ledger.started_at = now;
    state.ledger.limits = *limits;
    state.ledger.deadline = now.plus_millis(limits.deadline_ms);
    state.ledger.waiting_since = None;
    let mut pairs = Vec::with_capacity(state.ledger.calls.len());
    for call in &mut state.ledger.calls {
        let new = ToolCallId::new(ids);
        let again = matches!(with, ForkWith::Args { call: wanted, .. } if *wanted == call.id);
        let old = std::mem::replace(&mut call.id, new);
        pairs.push((old, new));
        if !call.read_only && !call.is_settled() && !again {
            let since = sent.iter().find(|sent| sent.call == old);
            let left = matches!(call.state, CallState::Sending { .. } | CallState::Probing { .. }) || call.uncertain;
            if let Some(since) = since {
                since.digest.clone_into(&mut call.digest);
            }
            call.state = if since.is_some_and(|sent| sent.made) {
                call.summary = Some(MADE_BEFORE.into());
                CallState::Succeeded
            } else if left || since.is_some() {
                let why = "It was approved in the run this one was forked from. Open that run to see what happened.";
                CallState::Unknown { why: why.into(), met: None }
            } else {
                CallState::Denied {
                    reason: "Belongs to the run this one was forked from.".into(),
                    cause: Denial::Forked,
                }
            };
        }
    }
    for turn in &mut state.rounds {
        if let Round::Assistant { calls, .. } = turn {
            for id in calls {
                if let Some((_, new)) = pairs.iter().find(|(old, _)| old == id) {
                    *id = *new;
                }
            }
        }
    }
    let new_id = |old: ToolCallId| pairs.iter().find(|(was, _)| *was == old).map(|(_, new)| *new);
    for call in &mut state.ledger.calls {
        call.after = call.after.and_then(new_id);
    }
    for step in state.plan.iter_mut().flat_map(|plan| &mut plan.steps) {
        step.tool_call_id = step.tool_call_id.and_then(new_id);
        step.calls = step.calls.iter().filter_map(|id| new_id(*id)).collect();
    }
    let over = state.ledger.outcome.take().is_some() || state.node == Node::End;
    if over || (state.node == Node::ToolExecutor && state.ledger.calls.iter().all(Call::is_settled)) {
        // A run that began with a call has no route, so its message must be read first.
        state.node = if state.route.is_none() { Node::Router } else { Node::Specialist };
    }
    Ok((state, pairs))
}

/// Returns a state that keeps nothing of the old question except the reads.
fn asked_anew(old: &Turn, now: Timestamp, limits: &Limits) -> Turn {
    let mut state = Turn::new(Ledger::new(old.ledger.page.clone(), *limits, now));
    let read = |call: &&Call| call.read_only && call.state == CallState::Succeeded;
    state.ledger.calls = old.ledger.calls.iter().filter(read).cloned().collect();
    for turn in &old.rounds {
        if let Round::Assistant { calls, .. } = turn {
            let calls: Vec<_> = calls.iter().copied().filter(|id| state.call(*id).is_some()).collect();
            if !calls.is_empty() {
                state.rounds.push(Round::Assistant { text: String::new(), calls });
            }
        }
    }
    state
}

/// Returns a state in which the call is proposed again with other arguments. Drops later rounds and their calls.
fn proposed_anew(old: &Turn, wanted: ToolCallId, digest: &str, sent: &[Sent]) -> Result<Turn, ForkError> {
    let mut state = old.clone();
    let call = state.ledger.calls.iter_mut().find(|call| call.id == wanted).ok_or(ForkError::NoSuchCall)?;
    let known = matches!(
        call.state,
        CallState::Sending { .. } | CallState::Probing { .. } | CallState::Succeeded | CallState::Unknown { .. }
    );
    // The saved state may be older than the sending of the call.
    let since = sent.iter().any(|sent| sent.call == wanted && sent.digest == digest);
    if !call.read_only && (known || call.uncertain || since) {
        return Err(ForkError::AlreadySent);
    }
    call.state = CallState::Proposed;
    digest.clone_into(&mut call.digest);
    (call.summary, call.found, call.doubt, call.baseline) = (None, None, None, None);
    call.instead_of = (!call.read_only).then_some(wanted);
    let holds = |round: &Round| matches!(round, Round::Assistant { calls, .. } if calls.contains(&wanted));
    let place = state.rounds.iter().position(holds).ok_or(ForkError::NoSuchCall)?;
    state.rounds.truncate(place + 1);
    let turns = state.rounds.clone();
    state.ledger.calls.retain(|call| {
        turns.iter().any(|round| matches!(round, Round::Assistant { calls, .. } if calls.contains(&call.id)))
    });
    state.node = Node::ToolExecutor;
    (state.draft, state.ledger.outcome) = (None, None);
    Ok(state)
}
