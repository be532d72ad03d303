//! New runs that begin inside an old one: the developer override and the fork. A write of the old run is never repeated.

use adagent_domain::{ChatSessionId, Ids, Network, Timestamp, ToolCallId};

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
        baseline: None,
    });
    state
}

/// A run that goes on from a stored state of another. Calls get new ids; writes that were not settled are declined, because
/// the old run may still carry them out. The pairs tell which old call each new one stands for.
pub fn fork(
    old: &State,
    session: ChatSessionId,
    now: Timestamp,
    limits: &Limits,
    ids: &dyn Ids,
) -> (State, Vec<(ToolCallId, ToolCallId)>) {
    let mut state = old.clone();
    state.session = session;
    state.started_at = now;
    state.deadline = now.plus_millis(limits.deadline_ms);
    state.waiting_since = None;
    let mut pairs = Vec::with_capacity(state.calls.len());
    for call in &mut state.calls {
        let new = ToolCallId::new(ids);
        pairs.push((call.id, new));
        call.id = new;
        if !call.read_only && !call.is_settled() {
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
    (state, pairs)
}
