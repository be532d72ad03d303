//! Plans a message that wants several things. It plans each part as if that part were the message, and shows the changes of all parts to
//! people together, as the steps of one plan.
//!
//! This must never propose a change that another part asked for, nor a change of a part that still has a question for the person.

use adagent_contract::PlanStep;
use adagent_llm::{ModelMessage, ModelReply, ModelRequest, PlanDraft, PlanDraftStep, ProposedCall, StopReason};
use serde::Deserialize as _;
use serde_json::Value as Json;

use super::{clarify, format::plain, plan_owned, reply};
use crate::Part;

/// How many calls we propose together. The engine takes no more from one reply.
const MOST_CALLS: usize = 10;

/// Returns the parts of the understood message.
pub(super) fn of(request: &ModelRequest) -> Vec<Part> {
    // Most messages have no parts. The rest of what was understood is read once, where it is needed.
    Vec::deserialize(&request.planner.understood["parts"]).unwrap_or_default()
}

/// Returns the request as if the part were the whole message.
fn request_of(request: &ModelRequest, part: &Part) -> ModelRequest {
    let mut own = request.clone();
    own.planner.question.clone_from(&part.text);
    own.planner.understood = serde_json::to_value(&part.understood).unwrap_or_default();
    if part.whole {
        own.planner.history.clear();
    }
    own
}

/// A part in progress: its own request, with the calls of the run that belong to it.
struct Track {
    says: String,
    changes: bool,
    request: ModelRequest,
    /// The part's next step, as the planner decides it for this part alone.
    next: ModelReply,
    /// Whether the part's last change was made or left out (`true`) or failed (`false`). `None` before any change.
    wrote: Option<bool>,
}

impl Track {
    fn new(request: &ModelRequest, part: &Part, step: Option<&PlanStep>, made: &[Made]) -> Self {
        let mut own = request_of(request, part);
        own.planner.plan = None;
        own.messages = vec![ModelMessage::User { content: part.text.clone() }];
        let mut track = Self {
            says: part.text.clone(),
            changes: part.understood.changes(),
            request: own,
            next: reply(),
            wrote: None,
        };
        let calls = step.map(|step| step.calls.as_slice()).unwrap_or_default();
        for made in calls.iter().filter_map(|id| made.iter().find(|made| made.call.id == Some(*id))) {
            track.hear(made);
        }
        track.go_on(made);
        track
    }

    /// Adds a call and its result to the part.
    fn hear(&mut self, made: &Made) {
        if super::whole::writes(&self.request, &made.call.name) {
            self.wrote = Some(match &made.result {
                ModelMessage::Tool { ok, content, .. } => *ok || was_left_out(content),
                _ => true,
            });
        }
        self.request.messages.push(ModelMessage::Assistant { content: String::new(), calls: vec![made.call.clone()] });
        self.request.messages.push(made.result.clone());
    }

    /// Plans the next step. A read that another part already made is not made again.
    fn go_on(&mut self, all: &[Made]) {
        loop {
            self.next = plan_owned(self.request.clone());
            let known = |asked: &ProposedCall| {
                let reads = !super::whole::writes(&self.request, &asked.name);
                all.iter().find(|made| reads && is_made_of(&made.call, asked))
            };
            // We may already have some of the results, so ask only for the rest.
            let found: Vec<&Made> = self.next.calls.iter().filter_map(known).filter(|made| !self.has(made)).collect();
            if found.is_empty() {
                return;
            }
            for made in found {
                self.hear(made);
            }
        }
    }

    fn has(&self, made: &Made) -> bool {
        self.request.messages.contains(&made.result)
    }

    fn is_over(&self) -> bool {
        self.next.calls.is_empty()
    }

    /// Checks whether a change of this part was not made, although nobody left it out.
    fn failed(&self) -> bool {
        self.wrote == Some(false)
    }

    /// Checks whether the part asks the person something before it can change anything.
    fn asks(&self) -> bool {
        let text = self.next.text.trim_end();
        self.changes
            && self.wrote.is_none()
            && self.is_over()
            && text.ends_with(clarify::UNCHANGED)
            && text.contains('?')
    }

    /// Returns the note on a change that leads to no call.
    fn note(&self) -> Option<String> {
        let none = self.changes && self.is_over() && self.wrote.is_none();
        none.then(|| self.next.text.replace("**", "").replace('`', ""))
    }

    fn writes(&self) -> bool {
        self.next.calls.iter().any(|call| super::whole::writes(&self.request, &call.name))
    }
}

/// Checks whether the change was left out: a person said no, somebody else had already set the same values, or it belongs to another run.
/// In these cases the plan continues.
fn was_left_out(content: &Json) -> bool {
    matches!(content["cause"].as_str(), Some("declined" | "already_there" | "forked"))
}

/// A call of the run and its result.
struct Made {
    call: ProposedCall,
    result: ModelMessage,
}

/// Decides the next step of all parts together.
pub(super) fn plan(request: &ModelRequest, parts: &[Part]) -> ModelReply {
    let made = made(&request.messages);
    let (tracks, later) = tracks(request, parts, &made);
    let turn = proposed(&tracks);
    if turn.is_empty() {
        let plan = settled(&tracks, request);
        ModelReply { plan, ..answer(tracks, &later) }
    } else {
        propose(&tracks, &turn, &later, request)
    }
}

/// Returns the plan with the reasons of its steps that made no change, if a step made none and the plan doesn't say so yet: it was read
/// first, and only then turned out to be impossible.
fn settled(tracks: &[Track], request: &ModelRequest) -> Option<PlanDraft> {
    let plan = request.planner.plan.as_ref()?;
    let steps: Vec<PlanDraftStep> = tracks
        .iter()
        .map(|track| PlanDraftStep {
            says: track.says.clone(),
            call: None,
            calls: Vec::new(),
            note: track.note(),
            unmade: track.note().is_some(),
        })
        .collect();
    let said =
        |(step, known): (&PlanDraftStep, &PlanStep)| step.unmade && !known.unmade && known.tool_call_id.is_none();
    let new = steps.len() == plan.steps.len() && steps.iter().zip(&plan.steps).any(said);
    let steps = steps.into_iter().zip(&plan.steps).map(|(step, known)| PlanDraftStep {
        // What another step repeats keeps its note.
        note: step.note.or_else(|| known.note.clone()),
        ..step
    });
    new.then(|| PlanDraft { goal: plan.goal.clone(), steps: steps.collect() })
}

/// Checks whether a read was made with the proposed arguments, and perhaps with more.
fn is_made_of(made: &ProposedCall, proposed: &ProposedCall) -> bool {
    let holds = |(key, value): (&String, &Json)| match made.args.get(key) {
        Some(kept) => super::read::same(kept, value),
        None => value.is_null(),
    };
    made.name == proposed.name && proposed.args.as_object().is_none_or(|args| args.iter().all(holds))
}

/// Returns the parts that we plan now, and the texts of the later ones. A part with a question for the person waits until the parts before
/// it are done; if it comes first, we ask at once. After the first change was shown to a person, the plan no longer changes.
fn tracks(request: &ModelRequest, parts: &[Part], made: &[Made]) -> (Vec<Track>, Vec<String>) {
    let plan = request.planner.plan.as_ref();
    let step = |at: usize| plan.and_then(|plan| plan.steps.get(at));
    let each = parts.iter().take(MOST_CALLS).enumerate();
    let mut tracks: Vec<Track> = each.map(|(at, part)| Track::new(request, part, step(at), made)).collect();
    let put = tracks.iter().any(|track| track.wrote.is_some());
    let kept = match plan.filter(|_| put) {
        Some(plan) => plan.steps.len(),
        None => tracks.iter().position(Track::asks).map_or(tracks.len(), |at| at.max(1)),
    };
    tracks.truncate(kept);
    let later = parts.iter().skip(tracks.len()).map(|part| part.text.clone()).collect();
    (tracks, later)
}

/// Returns which parts make calls next. First come the reads that changes need. Then people see all changes together. A part that reads
/// after a change waits for that change.
fn proposed(tracks: &[Track]) -> Vec<usize> {
    let open = |at: &usize| !tracks[*at].is_over();
    let before = |at: usize| tracks.iter().take(at);
    let may_read = |at: &usize| tracks[*at].changes || before(*at).all(|track| !track.changes || track.is_over());
    // After a failed change, the plan makes no more calls.
    let broken = |at: &usize| before(*at).any(Track::failed);
    let fitting = |wanted: &dyn Fn(&usize) -> bool| -> Vec<usize> {
        let mut calls = 0;
        let fits = |at: &usize| {
            calls += tracks[*at].next.calls.len();
            calls <= MOST_CALLS || calls == tracks[*at].next.calls.len()
        };
        (0..tracks.len()).filter(open).filter(|at| !broken(at) && wanted(at)).take_while(fits).collect()
    };
    let reading = fitting(&|at| !tracks[*at].writes() && may_read(at));
    if reading.is_empty() { fitting(&|at| tracks[*at].writes()) } else { reading }
}

/// Returns the calls of this run with their results.
fn made(messages: &[ModelMessage]) -> Vec<Made> {
    let result = |call: &ProposedCall| {
        let of_it = |message: &&ModelMessage| matches!(message, ModelMessage::Tool { call_id, .. } if call.id == Some(*call_id));
        messages.iter().find(of_it).cloned()
    };
    let calls = messages.iter().filter_map(|message| match message {
        ModelMessage::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    calls.flatten().filter_map(|call| Some(Made { call: call.clone(), result: result(call)? })).collect()
}

/// Proposes the calls of the parts whose turn it is, each once, as steps of one plan.
fn propose(tracks: &[Track], turn: &[usize], later: &[String], request: &ModelRequest) -> ModelReply {
    let mut calls: Vec<ProposedCall> = Vec::new();
    for call in turn.iter().flat_map(|at| &tracks[*at].next.calls) {
        if !calls.contains(call) {
            calls.push(call.clone());
        }
    }
    let index = |call: &ProposedCall| calls.iter().position(|one| one == call);
    let mut taken: Vec<usize> = Vec::new();
    let steps = tracks.iter().enumerate().map(|(at, track)| {
        let own: &[ProposedCall] = if turn.contains(&at) { &track.next.calls } else { &[] };
        // A lookup for a change is not a step.
        let does = |call: &&ProposedCall| !track.changes || super::whole::writes(request, &call.name);
        let call = own.iter().find(does).and_then(index);
        // If the message asks for the same change twice, we make it once.
        let again = call.filter(|call| track.changes && taken.contains(call));
        taken.extend(call);
        PlanDraftStep {
            says: track.says.clone(),
            call: call.filter(|_| again.is_none()),
            calls: own.iter().filter_map(index).collect(),
            note: again.map(|_| "The same as a step before it.".to_owned()).or_else(|| track.note()),
            unmade: again.is_none() && track.note().is_some(),
        }
    });
    let steps = steps.collect();
    let mut says: Vec<String> = turn.iter().map(|at| tracks[*at].next.text.clone()).collect();
    says.extend(comes_later(later, false));
    says.retain(|text| !text.trim().is_empty());
    let plan = PlanDraft { goal: request.planner.question.clone(), steps };
    ModelReply { text: says.join(" "), calls, plan: Some(plan), stop: StopReason::ToolCalls, ..reply() }
}

/// Says which parts wait behind a question for the person. `first`: whether this answer asks that question.
fn comes_later(later: &[String], first: bool) -> Option<String> {
    (!later.is_empty()).then(|| {
        let all: Vec<String> = later.iter().map(|text| format!("“{}”", plain(text))).collect();
        let all = super::format::and(&all);
        if first { format!("One question before I plan {all} too.") } else { format!("Not planned yet: {all}.") }
    })
}

fn answer(tracks: Vec<Track>, later: &[String]) -> ModelReply {
    let several = tracks.len() > 1;
    let broken = tracks.iter().position(Track::failed);
    let mut reply = reply();
    let mut texts = Vec::new();
    let mut covers = Vec::new();
    let mut rest: Vec<String> = Vec::new();
    for (at, mut track) in tracks.into_iter().enumerate() {
        let heading = format!("**{}. {}.**", at + 1, plain(&track.says));
        let late = broken.is_some_and(|broken| at > broken);
        if late && (track.failed() || !track.is_over()) {
            texts.push(format!("{heading} Not done, because step {} failed.", broken.unwrap_or(0) + 1));
            rest.push(track.request.planner.question);
            continue;
        }
        if broken == Some(at) {
            rest.push(track.request.planner.question);
        }
        let text = track.next.text.trim();
        texts.push(if several { format!("{heading} {text}") } else { text.to_owned() });
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
    // The next message answers our question, so no text may follow the question.
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

/// Returns what a part asked for but its change does not contain.
pub(super) fn not_used(request: &ModelRequest, parts: &[Part], tool: &str, args: &Json) -> Vec<String> {
    let left = |part: &Part| super::not_used(&request_of(request, part), tool, args);
    let made = made(&request.messages);
    let own = made.iter().find(|made| made.call.name == tool && super::read::same(&made.call.args, args));
    let steps = request.planner.plan.iter().flat_map(|plan| &plan.steps);
    let step = own.and_then(|own| steps.map(|step| step.tool_call_id).position(|id| id == own.call.id));
    match step.and_then(|step| parts.get(step)) {
        Some(part) => left(part),
        // We don't know which part asked for the change, so take the one that it fits best.
        None => {
            parts.iter().filter(|part| part.understood.changes()).map(left).min_by_key(Vec::len).unwrap_or_default()
        }
    }
}
