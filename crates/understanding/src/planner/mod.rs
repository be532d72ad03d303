//! The local planner: a model that needs no key and no network. It turns the understood question into the next calls, or into the answer
//! once it has their results.
//!
//! It is a pure function of the request: no I/O, no clock, no memory between calls. It must never name an ID that is not in the entities or
//! in a result, nor a number that no result holds.

mod able;
mod analyse;
mod basis;
mod beside;
mod beyond;
mod choose;
mod clarify;
mod delegation;
mod demand;
mod desks;
mod docs;
mod documents;
mod fair;
mod floors;
mod format;
mod granted;
mod held;
mod journal;
mod leftover;
mod lists;
mod names;
mod object;
mod outside;
mod own;
mod parts;
mod payouts;
mod period;
mod read;
mod records;
mod report;
mod servers;
mod spelled;
mod talk;
#[cfg(test)]
mod tests;
mod things;
mod todos;
mod undo;
mod unmade;
mod unsent;
mod unsure;
mod unused;
mod ways;
mod whole;
mod writes;

use std::borrow::Cow;

use adagent_contract::{Artifact, Covers};
use adagent_domain::{Cut as _, Network};
use adagent_llm::{
    Delta, LOCAL_MODEL, Model, ModelError, ModelReply, ModelRequest, ProposedCall, StopReason, TextSink, Usage,
};
use async_trait::async_trait;
use serde_json::Value as Json;

use crate::{
    Capability, Outcome,
    accounts::{self, Named},
    chosen, is_too_long, readable, unanswered,
};
pub(crate) use documents::is_of_documents;
pub(crate) use format::days;
use read::Turn;
pub(crate) use todos::is_of_todos;
pub use undo::asks_undo;
pub use unsent::of_reason as instead;

/// The most reads in one turn. We propose the rest once these are answered. The engine accepts no more per turn.
pub const MOST_READS: usize = 10;

/// How many words we send to the sink at a time, so that the answer appears to be typed.
const WORDS_PER_DELTA: usize = 6;

/// The planner's next step.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Calls { say: String, calls: Vec<Call> },
    Answer(Box<Answer>),
}

/// A call before it gets an ID.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    name: Cow<'static, str>,
    args: Json,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Answer {
    text: String,
    /// Sentences after the text, each once: what a person must know to read the numbers right.
    said: Vec<String>,
    /// Whose numbers the answer lacks, and why. This is a separate paragraph under the answer.
    lacks: Vec<String>,
    /// How we counted; folded away under the answer.
    method: Vec<String>,
    /// The days that the numbers cover.
    covers: Option<Covers>,
    artifacts: Vec<Artifact>,
    follow_ups: Vec<String>,
    /// Possible answers to the question that this answer asks. We offer them instead of follow-ups.
    choices: Vec<String>,
}

impl Answer {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Adds a sentence after the text, unless the answer already contains it.
    fn say(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.said.contains(&sentence) && !self.text.contains(&sentence) {
            self.said.push(sentence);
        }
    }

    fn count(&mut self, line: impl Into<String>) {
        let line = line.into();
        if !self.method.contains(&line) {
            self.method.push(line);
        }
    }

    /// Says under the answer whose numbers it lacks. A chat shows each reason once; later answers fold it away.
    fn lack(&mut self, line: impl Into<String>, history: &[adagent_contract::HistoryEntry]) {
        let line = line.into();
        if history.iter().any(|entry| entry.role == "assistant" && entry.content.contains(&line)) {
            self.count(line);
        } else if !self.lacks.contains(&line) {
            self.lacks.push(line);
        }
    }

    /// Returns the whole text of the answer.
    fn whole(&self) -> String {
        let said = self.said.join(" ");
        let listed = self.text.lines().next_back().is_some_and(|line| line.starts_with("- "));
        let between = if said.is_empty() {
            ""
        } else if listed {
            "\n\n"
        } else {
            " "
        };
        let main = format!("{}{between}{said}", self.text);
        std::iter::once(&main).chain(&self.lacks).map(String::as_str).collect::<Vec<_>>().join("\n\n")
    }

    fn following(mut self, follow_ups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.follow_ups.extend(follow_ups.into_iter().map(Into::into));
        self
    }

    fn choosing(mut self, choices: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.choices.extend(choices.into_iter().map(Into::into));
        self
    }

    /// Returns what to offer as the next message: the choices if there are several, otherwise three follow-ups.
    fn chips(&mut self, connected: &[Network]) -> Vec<String> {
        let mut choices = std::mem::take(&mut self.choices);
        if choices.len() > 1 {
            return choices;
        }
        choices.append(&mut self.follow_ups);
        three(choices, connected)
    }
}

impl From<Answer> for Step {
    fn from(answer: Answer) -> Self {
        Self::Answer(Box::new(answer))
    }
}

/// Serves both tiers if no hosted model is configured.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalPlanner;

#[async_trait]
impl Model for LocalPlanner {
    fn id(&self) -> &'static str {
        LOCAL_MODEL
    }

    async fn complete(&self, request: &ModelRequest, sink: &mut dyn TextSink) -> Result<ModelReply, ModelError> {
        let said = request.planner.history.iter().map(|entry| entry.content.len());
        let bytes = request.planner.question.len() + said.sum::<usize>();
        let request = request.clone();
        let reply = adagent_llm::aside(bytes, move || plan_owned(request)).await;
        if reply.calls.is_empty() {
            for piece in word_groups(&reply.text) {
                sink.push(Delta::Text(piece.to_owned())).await;
            }
        } else if !reply.text.is_empty() {
            sink.push(Delta::Thinking(reply.text.clone())).await;
        }
        Ok(reply)
    }
}

/// Checks whether a word restricts numbers: a place, a platform, a format.
pub(crate) fn restricts(word: &str) -> bool {
    let lower = word.to_lowercase();
    !names::countries_in(word).is_empty() || names::platform_in(&lower).is_some() || names::format_in(&lower).is_some()
}

/// Decides the next step of a run from the request alone.
pub fn plan(request: &ModelRequest) -> ModelReply {
    plan_owned(request.clone())
}

fn plan_owned(mut request: ModelRequest) -> ModelReply {
    if is_too_long(&request.planner.question) {
        return reply_of(talk::too_long(&request.planner.question).into(), &request.planner.connected);
    }
    let parts = parts::of(&request);
    if !parts.is_empty() {
        return parts::plan(&request, &parts);
    }
    request.planner.question = chosen::plain(&request.planner.question).to_owned();
    // A saved answer stays whole, however long it is.
    if is_of_documents(&request.planner.question) {
        return plan_of(&request, &[]);
    }
    for entry in request.planner.history.iter_mut().filter(|entry| entry.role == "user") {
        entry.content = chosen::plain(&entry.content).to_owned();
    }
    for entry in request.planner.history.iter_mut().filter(|entry| is_too_long(&entry.content)) {
        entry.content = readable(&entry.content).to_owned();
    }
    let fresh = request.planner.understood["fresh"] == true;
    let came = unanswered::left_out(&request.planner.history, &request.planner.question, || fresh).into_owned();
    request.planner.history = came;
    let known = accounts::known(&request.planner.connections);
    if known.is_empty() {
        return plan_of(&request, &[]);
    }
    // The name of a connection says which account the person means. We look for names of things in the rest of the text.
    let context = &mut request.planner;
    let mut said = Vec::new();
    for entry in context.history.iter_mut().filter(|entry| entry.role == "user") {
        let (text, named) = accounts::read(&entry.content, &known);
        entry.content = text;
        said.push(named);
    }
    let (text, named) = accounts::read(&context.question, &known);
    context.question = text;
    said.push(named);
    plan_of(&request, &said)
}

/// Returns what the person asked for but this change does not contain, as the person wrote it. It works for the call of any model.
pub fn not_used(request: &ModelRequest, tool: &str, args: &Json) -> Vec<String> {
    if things::network_of(tool).is_none() {
        return own::not_used(tool, chosen::plain(&request.planner.question));
    }
    let parts = parts::of(request);
    if !parts.is_empty() {
        return parts::not_used(request, &parts, tool, args);
    }
    let known = accounts::known(&request.planner.connections);
    let mut plain = request.clone();
    // The name of a connection only says where the change goes, and the card shows that anyway.
    plain.planner.question = accounts::read(chosen::plain(&request.planner.question), &known).0;
    let Ok(turn) = Turn::read(&plain, &[]) else { return Vec::new() };
    // If people denied the change with a reason, the reason's words replace what they correct.
    let turn = unsent::as_denied(&turn).unwrap_or(turn);
    let mut left = leftover::of(&turn, tool, args);
    // Conditions are left over too ("if its eCPM is below $1"): we send a change once it is approved, and wait for nothing else.
    left.extend(crate::conditions::taken_off(&plain.planner.question).into_iter().flat_map(|order| order.conditions));
    left
}

/// Plans one request. `said` holds, for each of the person's messages, the connections that it names; the question's come last.
fn plan_of(request: &ModelRequest, said: &[Named]) -> ModelReply {
    let step = match Turn::read(request, said) {
        Ok(turn) => turn.directed(decide(&turn)),
        Err(why) => Answer::text(format!("I couldn't process this question: {why}. I didn't do anything."))
            .following(talk::EXAMPLES)
            .into(),
    };
    reply_of(step, &request.planner.connected)
}

/// Returns an empty reply.
fn reply() -> ModelReply {
    ModelReply {
        text: String::new(),
        calls: Vec::new(),
        plan: None,
        artifacts: Vec::new(),
        method: Vec::new(),
        covers: None,
        follow_ups: Vec::new(),
        usage: Usage::default(),
        stop: StopReason::End,
        model: LOCAL_MODEL.to_owned(),
    }
}

fn reply_of(step: Step, connected: &[Network]) -> ModelReply {
    match step {
        Step::Calls { say, calls } => {
            let proposed = |call: Call| ProposedCall { id: None, name: call.name.into_owned(), args: call.args };
            ModelReply {
                text: say,
                calls: calls.into_iter().map(proposed).collect(),
                stop: StopReason::ToolCalls,
                ..reply()
            }
        }
        Step::Answer(mut answer) => ModelReply {
            text: answer.whole(),
            follow_ups: answer.chips(connected),
            method: answer.method,
            covers: answer.covers,
            artifacts: answer.artifacts.into_iter().map(shown).collect(),
            ..reply()
        },
    }
}

/// Writes out every invisible character in the names and texts of a table.
fn shown(mut artifact: Artifact) -> Artifact {
    use adagent_contract::Value;
    if let Artifact::Table { table, .. } = &mut artifact {
        for text in table.rows.iter_mut().flatten().filter_map(|cell| match cell {
            Value::Entity { name, .. } => Some(name),
            Value::Text { value } => Some(value),
            _ => None,
        }) {
            if let Cow::Owned(seen) = adagent_domain::text::visible(text) {
                *text = seen;
            }
        }
    }
    artifact
}

fn decide(turn: &Turn<'_>) -> Step {
    if let Some(refused) = granted::refused(turn) {
        return refused.into();
    }
    if let Some(step) = delegation::next(turn) {
        return step;
    }
    if let Some(step) = servers::next(turn) {
        return step;
    }
    // A to-do and a document may name anything, even things outside the selection.
    if let Some(step) = todos::next(turn).or_else(|| documents::next(turn)) {
        return step;
    }
    if let Some(answer) = outside::blocked(turn).or_else(|| payouts::answer(turn)) {
        return answer.into();
    }
    if let Some(step) = journal::next(turn) {
        return step;
    }
    if let Some(step) = able::answer(turn).map(Step::from).or_else(|| records::next(turn)) {
        return step;
    }
    if let Some(answer) = demand::misplaced(turn) {
        return answer.into();
    }
    if let Some(answer) = beyond::benchmark(turn) {
        return answer.into();
    }
    if let Some((there, network)) = unsent::moved(turn) {
        let step = whole::checked(&there, choose::inside(&there, network));
        return unsent::told_there(&there, network, step);
    }
    let step = match turn.understood.outcome {
        Outcome::Answer | Outcome::Approval | Outcome::Clarify if turn.understood.supposed.is_some() => {
            talk::supposed(turn).into()
        }
        outcome if turn.goes_on && !matches!(outcome, Outcome::Refuse) && turn.admob_alone() => writes::next(turn),
        outcome if turn.goes_on && !matches!(outcome, Outcome::Refuse) => beside::next(turn),
        Outcome::Answer | Outcome::Refuse | Outcome::Chat if talk::guessed(turn) && period::asks_forecast(turn) => {
            period::unserved(turn).unwrap_or_else(|| talk::refuse(turn)).into()
        }
        Outcome::Answer | Outcome::Approval if turn.understood.doubt.is_some() => unsure::ask(turn).into(),
        Outcome::Chat => talk::chat(turn).into(),
        Outcome::Refuse => talk::refuse(turn).into(),
        Outcome::Connect => talk::connect(turn).into(),
        Outcome::Enable => talk::enable(turn).into(),
        // If only one network is left, the person need not choose. The change itself asks for what else is missing.
        Outcome::Clarify if turn.only_admob() => writes::next(turn),
        Outcome::Clarify if !turn.admob_alone() => beside::next(turn),
        Outcome::Clarify => clarify::which_network(turn).into(),
        Outcome::Answer | Outcome::Approval => match turn.understood.capability {
            Capability::Docs => docs::answer(turn).into(),
            Capability::Assistant => talk::chat(turn).into(),
            _ if !turn.admob_alone() => beside::next(turn),
            _ if !turn.serves_admob() => talk::connect(turn).into(),
            _ if turn.understood.outcome == Outcome::Approval => writes::next(turn),
            Capability::Reporting => report_or_analysis(turn),
            _ if analyse::wanted(turn) => analyse::next(turn),
            Capability::Inventory | Capability::Accounts | Capability::Mediation | Capability::Experiments => {
                lists::next(turn)
            }
            _ => talk::not_served(turn).into(),
        },
    };
    // If a person denied the change, it was already read again with the reason and checked there.
    let step = if unsent::as_denied(turn).is_some() { step } else { whole::checked(turn, step) };
    match step {
        Step::Answer(mut answer) => {
            if let Some(acknowledgement) = talk::acknowledgement(turn) {
                answer.text = format!("{acknowledgement} {}", answer.text);
            }
            if let Some((note, offer)) = answer.covers.as_ref().and_then(|covers| period::just_begun(turn, covers)) {
                answer.text = format!("{note}\n\n{}", answer.text);
                answer.follow_ups.insert(0, offer);
            }
            // An answer that asks about a change must end with that sentence, because it tells us that the next message is the reply.
            if let Some(without) = turn.without(&answer.whole()).filter(|_| !answer.text.ends_with(clarify::UNCHANGED))
            {
                answer.say(without);
            }
            Step::Answer(answer)
        }
        calls @ Step::Calls { .. } => calls,
    }
}

fn report_or_analysis(turn: &Turn<'_>) -> Step {
    if let Some(answer) = period::unserved(turn) {
        return answer.into();
    }
    if let Some(answer) = beyond::refused(turn) {
        return answer.into();
    }
    if analyse::wanted(turn) { analyse::next(turn) } else { report::next(turn) }
}

/// Returns exactly three follow-ups, the answer's own first. It repeats none and leaves out examples for networks that are not connected.
fn three(own: Vec<String>, connected: &[Network]) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(3);
    let own = own.into_iter().filter(|text| talk::answerable(text, connected));
    for text in own.chain(talk::examples(connected).map(str::to_owned)) {
        if all.len() < 3 && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// Cuts a text into groups of words. Joined again, they give the same text.
fn word_groups(text: &str) -> Vec<&str> {
    let mut groups = Vec::new();
    let (mut start, mut words) = (0, 0);
    for (at, _) in text.match_indices([' ', '\n']) {
        words += 1;
        if words == WORDS_PER_DELTA {
            groups.push(text.cut(start..=at));
            start = at + 1;
            words = 0;
        }
    }
    if start < text.len() {
        groups.push(text.cut(start..));
    }
    groups
}

#[cfg(test)]
mod visible {
    use adagent_contract::{Artifact, TableArtifact, Value};

    /// Names in tables can hide nothing, whatever characters a network accepts.
    #[test]
    fn what_turns_a_name_around_is_written_out() {
        let cells = vec![
            Value::Entity { id: "1".into(), name: "Game\u{202e}exe".into() },
            Value::Text { value: "a\u{202e}b".into() },
        ];
        let table =
            TableArtifact { columns: Vec::new(), rows: vec![cells], total: None, sorted_by: None, row_count: 1 };
        let drawn =
            super::shown(Artifact::Table { title: String::new(), subtitle: String::new(), table, sources: Vec::new() });
        let text = serde_json::to_string(&drawn).unwrap();
        assert!(!text.contains('\u{202e}'), "{text}");
        assert_eq!(text.matches("202E").count(), 2, "{text}");
    }
}
