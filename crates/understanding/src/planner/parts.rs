//! A message that wants several things: each part is planned by itself, as if it were the message, and the changes of all of
//! them are put to people together, as the steps of one plan.
//!
//! Must never propose a change that another part asked for, nor one of a part that still asks something back.

use adagent_llm::{
    LOCAL_MODEL, ModelMessage, ModelReply, ModelRequest, PlanDraft, PlanDraftStep, ProposedCall, StopReason,
};
use serde::Deserialize as _;
use serde_json::Value as Json;

use super::{clarify, format::plain, plan_owned};
use crate::{Part, Understood};

/// Calls that are proposed together; the engine takes no more of one reply.
const MOST_CALLS: usize = 10;

/// The parts of what was understood.
pub(super) fn of(request: &ModelRequest) -> Vec<Part> {
    Understood::deserialize(&request.planner.understood).map(|understood| understood.parts).unwrap_or_default()
}

/// The request as if the part were the message.
fn request_of(request: &ModelRequest, part: &Part) -> ModelRequest {
    let mut own = request.clone();
    own.planner.question.clone_from(&part.text);
    own.planner.understood = serde_json::to_value(&part.understood).unwrap_or_default();
    if part.whole {
        own.planner.history.clear();
    }
    own
}

/// A part on its way: its own request, with the calls of the run that are its.
struct Track {
    says: String,
    changes: bool,
    request: ModelRequest,
    /// What it does next, as the planner says it of this part alone.
    next: ModelReply,
    /// A change of it was not made, though nobody left it out.
    failed: bool,
    /// A change of it was put to a person.
    wrote: bool,
}

impl Track {
    fn new(request: &ModelRequest, part: &Part) -> Self {
        let mut own = request_of(request, part);
        own.planner.plan = None;
        own.messages = vec![ModelMessage::User { content: part.text.clone() }];
        let next = plan_owned(own.clone());
        Self {
            says: part.text.clone(),
            changes: part.understood.changes(),
            request: own,
            next,
            failed: false,
            wrote: false,
        }
    }

    fn is_over(&self) -> bool {
        self.next.calls.is_empty()
    }

    /// It asks something back before it can change anything.
    fn asks(&self) -> bool {
        let text = self.next.text.trim_end();
        self.changes && self.is_over() && text.ends_with(clarify::UNCHANGED) && text.contains('?')
    }

    /// What is said of a change that comes to no call.
    fn note(&self) -> Option<String> {
        let none = self.changes && self.is_over() && !self.wrote;
        none.then(|| self.next.text.replace("**", "").replace('`', ""))
    }

    fn writes(&self) -> bool {
        let write = |call: &ProposedCall| super::whole::writes(&self.request, &call.name);
        self.next.calls.iter().any(write)
    }

    /// Takes in what became of its calls, and plans on.
    fn hear(&mut self, calls: Vec<ProposedCall>, results: Vec<ModelMessage>) {
        let came = |message: &ModelMessage| match message {
            ModelMessage::Tool { ok, content, .. } => *ok || was_left_out(content),
            _ => true,
        };
        if self.writes() {
            self.wrote = true;
            self.failed = !results.iter().all(came);
        }
        self.request.messages.push(ModelMessage::Assistant { content: String::new(), calls });
        self.request.messages.extend(results);
        self.next = plan_owned(self.request.clone());
    }
}

/// A person said no to it, or somebody else had set the same values: the plan goes on.
fn was_left_out(content: &Json) -> bool {
    matches!(content["cause"].as_str(), Some("declined" | "already_there"))
}

/// A call as it was proposed, as it went out, and what became of it.
struct Made {
    asked: ProposedCall,
    call: ProposedCall,
    result: ModelMessage,
}

/// Decides the next step of all parts together.
pub(super) fn plan(request: &ModelRequest, parts: &[Part]) -> ModelReply {
    let (mut tracks, later) = tracks(request, parts);
    let mut rounds = rounds(&request.messages).into_iter();
    let mut made: Vec<Made> = Vec::new();
    loop {
        let turn = proposed(&tracks);
        if turn.is_empty() {
            return answer(tracks, &later);
        }
        let wanted = wanted(&tracks, &turn, &made);
        if !wanted.is_empty() {
            // Calls of another question, which a fork brought along, are nobody's here.
            let answers = |round: &Round| {
                round.len() == wanted.len()
                    && round.iter().zip(&wanted).all(|((call, _), asked)| is_made_of(request, call, asked))
            };
            let Some(round) = rounds.find(answers) else { return propose(tracks, &turn, wanted, &later, request) };
            made.extend(round.into_iter().zip(wanted).map(|((call, result), asked)| Made { asked, call, result }));
        }
        for at in turn {
            let of = |asked: &ProposedCall| made.iter().find(|made| made.asked == *asked);
            let own: Vec<&Made> = tracks[at].next.calls.iter().filter_map(of).collect();
            let (calls, results) = own.into_iter().map(|made| (made.call.clone(), made.result.clone())).unzip();
            tracks[at].hear(calls, results);
        }
    }
}

/// The calls of these parts that were not made yet, each once: two parts may need the same list.
fn wanted(tracks: &[Track], turn: &[usize], made: &[Made]) -> Vec<ProposedCall> {
    let mut wanted: Vec<ProposedCall> = Vec::new();
    for call in turn.iter().flat_map(|at| &tracks[*at].next.calls) {
        if !wanted.contains(call) && !made.iter().any(|made| made.asked == *call) {
            wanted.push(call.clone());
        }
    }
    wanted
}

/// Whether a call is what became of a proposal. A person may have edited a change; a read went out with what was proposed, and
/// perhaps with more.
fn is_made_of(request: &ModelRequest, made: &ProposedCall, proposed: &ProposedCall) -> bool {
    let write = super::whole::writes(request, &proposed.name);
    let holds = |(key, value): (&String, &Json)| match made.args.get(key) {
        Some(kept) => super::read::same(kept, value),
        None => value.is_null(),
    };
    made.name == proposed.name && (write || proposed.args.as_object().is_none_or(|args| args.iter().all(holds)))
}

/// The parts that are planned now, and the words of those that come after. A part that asks back is asked about once the parts
/// before it are done; the first one is asked about at once.
fn tracks(request: &ModelRequest, parts: &[Part]) -> (Vec<Track>, Vec<String>) {
    let mut tracks: Vec<Track> = parts.iter().map(|part| Track::new(request, part)).collect();
    let first = tracks.iter().position(Track::asks);
    let kept = first.map_or(tracks.len(), |at| at.max(1)).min(MOST_CALLS);
    tracks.truncate(kept);
    let later = parts.iter().skip(kept).map(|part| part.text.clone()).collect();
    (tracks, later)
}

/// Which parts call something next. What changes need to know is read first; then all changes are put to people together; what
/// reads after a change waits for that.
fn proposed(tracks: &[Track]) -> Vec<usize> {
    let open = |at: &usize| !tracks[*at].is_over();
    let before = |at: usize| tracks.iter().take(at);
    let may_read = |at: &usize| tracks[*at].changes || before(*at).all(|track| !track.changes || track.is_over());
    // A plan that broke goes on with nothing.
    let broken = |at: &usize| before(*at).any(|track| track.failed);
    let reading = (0..tracks.len()).filter(open).filter(|at| !tracks[*at].writes()).filter(may_read);
    let mut calls = 0;
    let mut fits = |at: &usize| {
        calls += tracks[*at].next.calls.len();
        calls <= MOST_CALLS || calls == tracks[*at].next.calls.len()
    };
    let reading: Vec<usize> = reading.filter(|at| !broken(at)).take_while(&mut fits).collect();
    if !reading.is_empty() {
        return reading;
    }
    calls = 0;
    let mut fits = |at: &usize| {
        calls += tracks[*at].next.calls.len();
        calls <= MOST_CALLS || calls == tracks[*at].next.calls.len()
    };
    (0..tracks.len()).filter(open).filter(|at| tracks[*at].writes() && !broken(at)).take_while(&mut fits).collect()
}

type Round = Vec<(ProposedCall, ModelMessage)>;

/// The calls of this run with what became of them, round by round.
fn rounds(messages: &[ModelMessage]) -> Vec<Round> {
    let result = |call: &ProposedCall| {
        let of_it = |message: &&ModelMessage| matches!(message, ModelMessage::Tool { call_id, .. } if call.id == Some(*call_id));
        messages.iter().find(of_it).cloned()
    };
    let rounds = messages.iter().filter_map(|message| match message {
        ModelMessage::Assistant { calls, .. } if !calls.is_empty() => {
            Some(calls.iter().filter_map(|call| Some((call.clone(), result(call)?))).collect())
        }
        _ => None,
    });
    rounds.collect()
}

/// The calls of the parts whose turn it is, as steps of one plan.
fn propose(
    tracks: Vec<Track>,
    turn: &[usize],
    calls: Vec<ProposedCall>,
    later: &[String],
    request: &ModelRequest,
) -> ModelReply {
    let own = |track: &Track| {
        // What is only looked up for a change is no step.
        let step = |call: &&ProposedCall| !track.changes || super::whole::writes(request, &call.name);
        let first = track.next.calls.iter().find(step)?;
        calls.iter().position(|call| call == first)
    };
    let steps = tracks.iter().enumerate().map(|(at, track)| PlanDraftStep {
        says: track.says.clone(),
        call: turn.contains(&at).then(|| own(track)).flatten(),
        note: track.note(),
    });
    let plan = PlanDraft { goal: request.planner.question.clone(), steps: steps.collect() };
    let mut says: Vec<String> = turn.iter().map(|at| tracks[*at].next.text.clone()).collect();
    says.extend(comes_later(later, false));
    says.retain(|text| !text.trim().is_empty());
    let plan = (tracks.len() > 1).then_some(plan);
    ModelReply { text: says.join(" "), calls, plan, stop: StopReason::ToolCalls, ..empty() }
}

/// What is said of the parts from one on that asks back. `first`: that is the question itself.
fn comes_later(later: &[String], first: bool) -> Option<String> {
    (!later.is_empty()).then(|| {
        let all: Vec<String> = later.iter().map(|text| format!("“{}”", plain(text))).collect();
        let all = super::format::and(&all);
        if first { format!("One question before I plan {all} too.") } else { format!("Not planned yet: {all}.") }
    })
}

fn answer(tracks: Vec<Track>, later: &[String]) -> ModelReply {
    let several = tracks.len() > 1;
    let broken = tracks.iter().position(|track| track.failed);
    let mut reply = empty();
    let mut texts = Vec::new();
    let mut covers = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    for (at, mut track) in tracks.into_iter().enumerate() {
        let late = broken.is_some_and(|broken| at > broken);
        if late && (track.failed || !track.is_over()) {
            texts.push(format!(
                "**{}. {}.** Not done, because step {} failed.",
                at + 1,
                track.says,
                broken.unwrap_or(0) + 1
            ));
            rest.push(track.request.planner.question);
            continue;
        }
        if broken == Some(at) {
            rest.push(track.request.planner.question);
        }
        let text = track.next.text.trim();
        texts.push(if several { format!("**{}. {}.** {text}", at + 1, plain(&track.says)) } else { text.to_owned() });
        reply.artifacts.append(&mut track.next.artifacts);
        for line in track.next.method {
            if !reply.method.contains(&line) {
                reply.method.push(line);
            }
        }
        covers.extend(track.next.covers);
        reply.follow_ups = track.next.follow_ups;
    }
    reply.covers = covers.pop().filter(|_| covers.is_empty());
    // The question back is answered by what comes next: nothing may stand after it.
    let asks = texts.last().is_some_and(|text| text.ends_with(clarify::UNCHANGED));
    if let Some(text) = comes_later(later, asks) {
        if asks { texts.insert(0, text) } else { texts.push(text) }
    }
    let next = if rest.is_empty() { later.first().cloned() } else { Some(rest.join("; then ")) };
    if let Some(next) = next.filter(|_| !asks) {
        reply.follow_ups.insert(0, next);
        reply.follow_ups.truncate(3);
    }
    ModelReply { text: texts.join("\n\n"), ..reply }
}

fn empty() -> ModelReply {
    ModelReply {
        text: String::new(),
        calls: Vec::new(),
        plan: None,
        artifacts: Vec::new(),
        method: Vec::new(),
        covers: None,
        follow_ups: Vec::new(),
        usage: adagent_llm::Usage::default(),
        stop: StopReason::End,
        model: LOCAL_MODEL.to_owned(),
    }
}

/// What the part that asked for this change said and the change does not hold: of all parts the one that leaves the least.
pub(super) fn not_used(request: &ModelRequest, parts: &[Part], tool: &str, args: &Json) -> Vec<String> {
    let left = parts
        .iter()
        .filter(|part| part.understood.changes())
        .map(|part| super::not_used(&request_of(request, part), tool, args));
    left.min_by_key(Vec::len).unwrap_or_default()
}
