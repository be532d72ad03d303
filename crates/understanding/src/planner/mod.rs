//! The local planner: a model that needs no key and no network. It turns what was understood into the next calls, or into the
//! answer once their results are there.
//!
//! A pure function of the request: no I/O, no clock, no memory between calls. It must never name an id that is not in the
//! entities or in a result, nor a figure that no result holds.

mod analyse;
mod beside;
mod beyond;
mod clarify;
mod desks;
mod docs;
mod format;
mod lists;
mod names;
mod outside;
mod period;
mod read;
mod report;
mod talk;
#[cfg(test)]
mod tests;
mod things;
mod unused;
mod ways;
mod writes;

use std::borrow::Cow;

use adagent_contract::Artifact;
use adagent_llm::{Delta, Model, ModelError, ModelReply, ModelRequest, ProposedCall, StopReason, TextSink, Usage};
use async_trait::async_trait;
use serde_json::Value as Json;

use crate::{
    Capability, Outcome,
    accounts::{self, Named},
};
use read::Turn;

/// The id the planner is shown and chosen by.
pub const LOCAL_MODEL: &str = "local";

/// Words pushed to the sink at once while the answer is "written".
const WORDS_PER_DELTA: usize = 6;

/// What the planner does next.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Calls { say: String, calls: Vec<Call> },
    Answer(Answer),
}

/// A call before it gets an id.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    name: Cow<'static, str>,
    args: Json,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Answer {
    text: String,
    artifacts: Vec<Artifact>,
    follow_ups: Vec<String>,
}

impl Answer {
    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    fn following(mut self, follow_ups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.follow_ups.extend(follow_ups.into_iter().map(Into::into));
        self
    }
}

impl From<Answer> for Step {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

/// Serves both tiers when no hosted model is configured.
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
        let reply = crate::aside(bytes, || plan(request));
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

/// Whether a word restricts figures: a place, a platform, a format.
pub(crate) fn restricts(word: &str) -> bool {
    let lower = word.to_lowercase();
    !names::countries_in(word).is_empty() || names::platform_in(&lower).is_some() || names::format_in(&lower).is_some()
}

/// Decides the next step of a run from the request alone.
pub fn plan(request: &ModelRequest) -> ModelReply {
    let known = accounts::known(&request.planner.connections);
    if known.is_empty() {
        return plan_of(request, &[]);
    }
    // What connections are called says which account is meant; names of things are looked for in the rest.
    let mut plain = request.clone();
    let context = &mut plain.planner;
    let mut said = Vec::new();
    for entry in context.history.iter_mut().filter(|entry| entry.role == "user") {
        let (text, named) = accounts::read(&entry.content, &known);
        entry.content = text;
        said.push(named);
    }
    let (text, named) = accounts::read(&context.question, &known);
    context.question = text;
    said.push(named);
    plan_of(&plain, &said)
}

/// `said`: which connections the person's messages name, the question's last.
fn plan_of(request: &ModelRequest, said: &[Named]) -> ModelReply {
    let step = match Turn::read(request, said) {
        Ok(turn) => turn.directed(decide(&turn)),
        Err(why) => {
            Answer::text(format!("I could not read what was understood of this question ({why}), so I did nothing."))
                .following(talk::EXAMPLES)
                .into()
        }
    };
    match step {
        Step::Calls { say, calls } => ModelReply {
            text: say,
            calls: calls
                .into_iter()
                .map(|call| ProposedCall { id: None, name: call.name.into_owned(), args: call.args })
                .collect(),
            artifacts: Vec::new(),
            follow_ups: Vec::new(),
            usage: Usage::default(),
            stop: StopReason::ToolCalls,
            model: LOCAL_MODEL.to_owned(),
        },
        Step::Answer(answer) => ModelReply {
            follow_ups: three(answer.follow_ups),
            text: answer.text,
            calls: Vec::new(),
            artifacts: answer.artifacts,
            usage: Usage::default(),
            stop: StopReason::End,
            model: LOCAL_MODEL.to_owned(),
        },
    }
}

fn decide(turn: &Turn<'_>) -> Step {
    if let Some(answer) = outside::blocked(turn) {
        return answer.into();
    }
    let step = match turn.understood.outcome {
        outcome if turn.goes_on && !matches!(outcome, Outcome::Refuse) && turn.admob_alone() => writes::next(turn),
        outcome if turn.goes_on && !matches!(outcome, Outcome::Refuse) => beside::next(turn),
        Outcome::Chat => talk::chat(turn).into(),
        Outcome::Refuse => talk::refuse(turn).into(),
        Outcome::Connect => talk::connect(turn).into(),
        Outcome::Enable => talk::enable(turn).into(),
        // With one network left there is nothing to choose; what else is missing the change itself asks for.
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
    match step {
        Step::Answer(mut answer) => {
            if let Some(acknowledgement) = talk::acknowledgement(turn) {
                answer.text = format!("{acknowledgement} {}", answer.text);
            }
            // A question about a change ends as such: the answer to it is known by that.
            if let Some(without) = turn.without(&answer.text).filter(|_| !answer.text.ends_with(clarify::UNCHANGED)) {
                answer.text.push(' ');
                answer.text += &without;
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

/// Exactly three follow-ups, the answer's own first, without repetition.
fn three(own: Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::with_capacity(3);
    for text in own.into_iter().chain(talk::EXAMPLES.map(str::to_owned)).chain(talk::MORE_EXAMPLES.map(str::to_owned)) {
        if all.len() < 3 && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// Cuts a text into groups of words whose concatenation is the text.
fn word_groups(text: &str) -> Vec<&str> {
    let mut groups = Vec::new();
    let (mut start, mut words) = (0, 0);
    for (at, _) in text.match_indices([' ', '\n']) {
        words += 1;
        if words == WORDS_PER_DELTA {
            groups.push(&text[start..=at]);
            start = at + 1;
            words = 0;
        }
    }
    if start < text.len() {
        groups.push(&text[start..]);
    }
    groups
}
