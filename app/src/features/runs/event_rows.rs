//! The events of a run as rows that people read: plain names, and equal rows in succession folded into one.

use adagent_contract::{EventBody, RunEvent, RunStatus};
use leptos::prelude::*;

use crate::ui::{JsonTree, format};

/// Equal events in succession; the row shows the first one.
#[derive(Debug, Clone, PartialEq)]
struct Fold {
    events: Vec<RunEvent>,
    name: &'static str,
    gist: String,
}

impl Fold {
    /// Returns the numbers, such as `7` or `7–107`.
    fn numbers(&self) -> String {
        let seq = |event: Option<&RunEvent>| event.map_or(0, |event| event.seq);
        let (first, last) = (seq(self.events.first()), seq(self.events.last()));
        if first == last { first.to_string() } else { format!("{first}–{last}") }
    }
}

/// Folds rows that read the same into one.
fn folded(events: Vec<RunEvent>) -> Vec<Fold> {
    let mut rows: Vec<Fold> = Vec::new();
    for event in events {
        let (name, gist) = (name(&event.body), gist(&event.body));
        match rows.last_mut() {
            Some(last) if last.name == name && last.gist == gist => last.events.push(event),
            _ => rows.push(Fold { events: vec![event], name, gist }),
        }
    }
    rows
}

#[component]
pub fn Events(events: Vec<RunEvent>) -> impl IntoView {
    let start = events.first().map(|event| event.at);
    let count = events.len();
    view! {
        <section class="card" aria-labelledby="events">
            <div class="card-head"><h3 id="events">"Events"</h3><span class="faint num">{count}</span></div>
            <ol>
                {folded(events).into_iter().map(|row| {
                    let at = row.events.first().map(|event| event.at);
                    let after = start.zip(at).map_or(0, |(start, at)| at.as_micros() - start.as_micros()).unsigned_abs();
                    let numbers = row.numbers();
                    let times = (row.events.len() > 1).then(|| view! { <span class="badge num">{row.events.len()}" ×"</span>" " });
                    let mut bodies = row.events.iter().map(|event| serde_json::to_value(&event.body).unwrap_or_default());
                    let json = if row.events.len() == 1 { bodies.next().unwrap_or_default() } else { bodies.collect() };
                    view! {
                        <li>
                            <details>
                                <summary class="event">
                                    <span>{numbers.clone()}</span>
                                    <time>{format::precise(after)}</time>
                                    <span class="truncate">{times}{row.name}" "<span class="quiet-text">{row.gist}</span></span>
                                </summary>
                                <JsonTree value=json label=format!("Event {numbers}")/>
                            </details>
                        </li>
                    }
                }).collect_view()}
            </ol>
        </section>
    }
}

/// Names the event in a word or two.
const fn name(body: &EventBody) -> &'static str {
    match body {
        EventBody::RunStarted { .. } => "Started",
        EventBody::Routing { .. } => "Understood",
        EventBody::Agent { .. } => "Agent",
        EventBody::Status { .. } => "Status",
        EventBody::Thinking { .. } => "Thinking",
        EventBody::Plan { .. } => "Plan",
        EventBody::Tool { read_only: true, .. } => "Request",
        EventBody::Tool { read_only: false, .. } => "Change drafted",
        EventBody::ToolExecuting { .. } => "In progress",
        EventBody::Delegated { .. } => "Asked an agent",
        EventBody::AgentsWait => "Agents need approval",
        EventBody::ToolResult { ok: true, .. } => "Result",
        EventBody::ToolResult { ok: false, .. } => "Request failed",
        EventBody::ToolApprovalRequired { .. } => "Approval needed",
        EventBody::ToolApprovalAnswered { .. } => "Approval answered",
        EventBody::ToolDenied { .. } => "Not sent",
        EventBody::ActionRequired { .. } => "Action needed",
        EventBody::Content { .. } => "Answer text",
        EventBody::Result { .. } => "Answer",
        EventBody::Usage { .. } => "Tokens",
        EventBody::Error { .. } => "Error",
        EventBody::Done { .. } => "Ended",
        EventBody::Unknown => "From a newer version",
    }
}

/// Returns the few words that distinguish an event from others in a list.
fn gist(body: &EventBody) -> String {
    match body {
        EventBody::RunStarted { model, .. } | EventBody::Usage { model, .. } => {
            crate::features::chat::model_name(model)
        }
        EventBody::Routing { service, capability, .. } => format!("{service}, {}", capability.replace('_', " ")),
        EventBody::Agent { agent, .. } => crate::features::chat::node_name(agent).0,
        EventBody::Status { label } => label.clone(),
        EventBody::Thinking { content }
        | EventBody::Content { content, .. }
        | EventBody::Result { content, .. }
        | EventBody::Error { content, .. } => content.chars().take(80).collect(),
        EventBody::Plan { plan } => crate::ui::format::plural(plan.steps.len(), "step", "steps"),
        EventBody::Tool { name, .. } => name.clone(),
        EventBody::ToolExecuting { message, .. } | EventBody::ActionRequired { message, .. } => message.clone(),
        EventBody::Delegated { to, .. } => format!("@{}", to.agent.handle),
        EventBody::ToolResult { summary, .. } => summary.clone(),
        EventBody::ToolApprovalRequired { title, .. } => title.clone(),
        EventBody::ToolApprovalAnswered { by, .. } => by.clone(),
        EventBody::ToolDenied { reason, .. } => reason.clone(),
        EventBody::Done { status: RunStatus::Cancelled } => "canceled".to_owned(),
        EventBody::Done { status } => status.as_str().replace('_', " "),
        EventBody::AgentsWait | EventBody::Unknown => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use adagent_domain::{RunId, SequentialIds, Timestamp};

    use super::*;

    #[test]
    fn equal_rows_that_follow_each_other_are_one() {
        let ids = SequentialIds::default();
        let run_id = RunId::new(&ids);
        let status = |seq, label: &str| RunEvent {
            run_id,
            seq,
            at: Timestamp::EPOCH,
            body: EventBody::Status { label: label.into() },
        };
        let mut events = vec![status(1, "Reading")];
        events.extend((2..=102).map(|seq| status(seq, "Writing the answer")));
        events.push(status(103, "Reading"));
        let told: Vec<_> = folded(events).iter().map(|row| (row.numbers(), row.events.len())).collect();
        assert_eq!(told, [("1".to_owned(), 1), ("2–102".to_owned(), 101), ("103".to_owned(), 1)]);
    }
}
