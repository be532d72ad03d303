//! New runs that begin inside an old one: the developer override and the fork. A write of the old run is never repeated.

use adagent_domain::{Ids, Network, Timestamp, ToolCallId};

use crate::{Call, CallState, Limits, Node, State, Turn};

/// A run that begins with one corrected call; it is checked, and approved if it writes, as any other.
pub fn override_call(
    old: &State,
    now: Timestamp,
    limits: &Limits,
    call: (ToolCallId, &str, Network, bool),
    digest: String,
) -> State {
    let (id, name, network, read_only) = call;
    let mut state = State::new(old.session, now, limits.deadline_ms);
    state.route.clone_from(&old.route);
    state.tools.clone_from(&old.tools);
    state.iterations = 1;
    state.node = Node::ToolExecutor;
    state.turns.push(Turn::Assistant { text: String::new(), calls: vec![id] });
    state.calls.push(Call {
        id,
        name: name.to_owned(),
        network,
        read_only,
        digest,
        state: CallState::Proposed,
        summary: None,
        found: None,
        uncertain: false,
        doubt: None,
        baseline: None,
        instead_of: None,
    });
    state
}

/// What is different in a fork.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForkWith {
    /// It goes on as it stood.
    Nothing,
    /// Another question: everything is decided anew, and what was read until then need not be read again.
    Question,
    /// Other arguments of one call, by their digest: it is proposed anew, and what followed from it is forgotten.
    Args { call: ToolCallId, digest: String },
}

/// Why a fork cannot begin like that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    #[error("This saved state has no such call.")]
    NoSuchCall,
    #[error("That change was sent already; ask for another one instead.")]
    AlreadySent,
}

/// A run that goes on from a stored state of another. Calls get new ids; writes that were not settled are declined, because
/// the old run may still carry them out. The pairs tell which old call each new one stands for.
pub fn fork(
    old: &State,
    with: &ForkWith,
    now: Timestamp,
    limits: &Limits,
    ids: &dyn Ids,
) -> Result<(State, Vec<(ToolCallId, ToolCallId)>), ForkError> {
    let mut state = match with {
        ForkWith::Nothing => old.clone(),
        ForkWith::Question => asked_anew(old, now, limits),
        ForkWith::Args { call, digest } => proposed_anew(old, *call, digest)?,
    };
    state.started_at = now;
    state.deadline = now.plus_millis(limits.deadline_ms);
    state.waiting_since = None;
    let mut pairs = Vec::with_capacity(state.calls.len());
    for call in &mut state.calls {
        let new = ToolCallId::new(ids);
        let again = matches!(with, ForkWith::Args { call: wanted, .. } if *wanted == call.id);
        pairs.push((call.id, new));
        call.id = new;
        if !call.read_only && !call.is_settled() && !again {
            call.state = CallState::Denied { reason: "Belongs to the run this one was forked from.".into() };
        }
    }
    for turn in &mut state.turns {
        if let Turn::Assistant { calls, .. } = turn {
            for id in calls {
                if let Some((_, new)) = pairs.iter().find(|(old, _)| old == id) {
                    *id = *new;
                }
            }
        }
    }
    let over = state.outcome.take().is_some() || state.node == Node::End;
    if over || (state.node == Node::ToolExecutor && state.calls.iter().all(Call::is_settled)) {
        state.node = Node::Specialist;
    }
    Ok((state, pairs))
}

/// Nothing is left of the old question but what was read for it.
fn asked_anew(old: &State, now: Timestamp, limits: &Limits) -> State {
    let mut state = State::new(old.session, now, limits.deadline_ms);
    let read = |call: &&Call| call.read_only && call.state == CallState::Succeeded;
    state.calls = old.calls.iter().filter(read).cloned().collect();
    for turn in &old.turns {
        if let Turn::Assistant { calls, .. } = turn {
            let calls: Vec<_> = calls.iter().copied().filter(|id| state.call(*id).is_some()).collect();
            if !calls.is_empty() {
                state.turns.push(Turn::Assistant { text: String::new(), calls });
            }
        }
    }
    state
}

/// The call stands as it was proposed, with other arguments; later turns with their calls never were.
fn proposed_anew(old: &State, wanted: ToolCallId, digest: &str) -> Result<State, ForkError> {
    let mut state = old.clone();
    let call = state.calls.iter_mut().find(|call| call.id == wanted).ok_or(ForkError::NoSuchCall)?;
    let sent = matches!(
        call.state,
        CallState::Sending { .. } | CallState::Probing { .. } | CallState::Succeeded | CallState::Unknown { .. }
    );
    if !call.read_only && (sent || call.uncertain) {
        return Err(ForkError::AlreadySent);
    }
    call.state = CallState::Proposed;
    digest.clone_into(&mut call.digest);
    (call.summary, call.found, call.baseline) = (None, None, None);
    let holds = |turn: &Turn| matches!(turn, Turn::Assistant { calls, .. } if calls.contains(&wanted));
    let place = state.turns.iter().position(holds).ok_or(ForkError::NoSuchCall)?;
    state.turns.truncate(place + 1);
    let turns = state.turns.clone();
    state.calls.retain(|call| {
        turns.iter().any(|turn| matches!(turn, Turn::Assistant { calls, .. } if calls.contains(&call.id)))
    });
    state.node = Node::ToolExecutor;
    (state.draft, state.outcome) = (None, None);
    Ok(state)
}
