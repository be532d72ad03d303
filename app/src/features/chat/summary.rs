//! The texts of the step lines. Pure: takes views, returns text.

use adagent_contract::{DecidedBy, Path, Progress, RoutingView, RunStatus, StepState, StepView, TurnView, words};
use adagent_domain::Source;
use serde_json::Value as Json;

use crate::ui::{Glyph, format};

/// Counts the lines of the steps; routing counts as one.
pub fn step_count(turn: &TurnView) -> usize {
    turn.steps.len() + usize::from(turn.routing.is_some())
}

/// Returns the collapsed line of a finished turn, such as `Read AdMob in 4 steps`.
pub fn headline(turn: &TurnView) -> String {
    let (mut sources, mut changed): (Vec<Source>, Vec<Source>) = (Vec::new(), Vec::new());
    let (mut failed, mut read) = (0_usize, false);
    let mut asked: Vec<String> = Vec::new();
    for step in &turn.steps {
        if let StepView::Tool { source, read_only, state, to, .. } = step {
            if let Some(to) = to {
                asked.push(format!("@{}", to.agent.handle));
                continue;
            }
            read |= *read_only;
            failed += usize::from(*state == StepState::Failed);
            let made = (!read_only && *state == StepState::Ok).then_some(&mut changed);
            for named in [Some(&mut sources), made].into_iter().flatten() {
                if !named.contains(source) {
                    named.push(*source);
                }
            }
        }
    }
    // If something was changed, name only the sources of the changes.
    let wrote = !changed.is_empty();
    let sources = if wrote { changed } else { sources };
    let verb = match (wrote, read, sources.is_empty()) {
        (_, _, true) if asked.is_empty() => "Answered",
        (_, _, true) => "Asked ",
        (true, _, _) => "Changed",
        (false, true, _) => "Read",
        (false, false, _) => "Drafted a change for",
    };
    let named = match sources.as_slice() {
        [] => asked.join(", "),
        [only] => format!(" {}", only.display_name()),
        [one, two] => format!(" {} and {}", one.display_name(), two.display_name()),
        more if more.contains(&Source::Native) => format!(" {} sources", more.len()),
        more => format!(" {} networks", more.len()),
    };
    let steps = format::plural(step_count(turn), "step", "steps");
    let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    if turn.status == RunStatus::Cancelled {
        return format!("Stopped after {steps}{failed}");
    }
    format!("{verb}{named} in {steps}{failed}")
}

/// Returns the line while the turn runs.
pub fn live_label(turn: &TurnView) -> String {
    match (&turn.label, turn.status) {
        (Some(label), _) => label.clone(),
        (None, RunStatus::Queued) => "Queued".into(),
        (None, _) => "Working".into(),
    }
}

/// Returns the progress of the running call, if the call reports it.
pub fn live_progress(turn: &TurnView) -> Option<Progress> {
    turn.steps.iter().rev().find_map(|step| match step {
        StepView::Tool { state: StepState::Running, progress, .. } => *progress,
        _ => None,
    })
}

/// Counts the finished steps of a running turn.
pub fn done_count(turn: &TurnView) -> usize {
    let running =
        |step: &&StepView| matches!(step, StepView::Tool { state: StepState::Running | StepState::Waiting, .. });
    step_count(turn) - turn.steps.iter().filter(running).count()
}

/// Says in words how sure the reading of a question is, because "37% sure" helps nobody.
pub fn sure(confidence: f64) -> &'static str {
    match confidence {
        0.75.. => "clearly understood",
        0.4.. => "probably understood",
        _ => "best guess",
    }
}

/// Describes the routing, such as "Reporting, quick answer, built-in rules (clearly understood)".
pub fn routing_line(routing: &RoutingView) -> String {
    let path = match routing.path {
        Path::Reactive => "quick answer",
        Path::Workflow => "several steps",
    };
    let by = match routing.decided_by {
        DecidedBy::Local => "built-in rules",
        DecidedBy::Model => "model",
    };
    let sure = sure(routing.confidence);
    format!("{}, {path}, {by} ({sure})", routing.capability.replace('_', " "))
}

/// Returns the name and icon of a graph node, as people read it.
pub fn agent_name(agent: &str) -> (String, Glyph) {
    let glyph = match agent {
        "entity_loader" => return ("Entities".into(), Glyph::Search),
        "tool_retriever" => return ("Tools".into(), Glyph::Filter),
        "tool_executor" => return ("Running requests".into(), Glyph::Wrench),
        "verifier" => return ("Checking the answer".into(), Glyph::ShieldCheck),
        "router" => return ("Routing".into(), Glyph::Route),
        "synthesizer" => return ("Answer".into(), Glyph::MessageSquare),
        _ => Glyph::Bot,
    };
    (words(agent), glyph)
}

/// Returns a model's name as people read it.
pub fn model_name(model: &str) -> String {
    match model {
        "local" => "Built-in assistant".to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the parameters of a call as people write them, one line each. Opens objects, so that the contents of a body can be
/// read.
pub fn params(params: &Json) -> Vec<(String, String)> {
    let mut out = Vec::new();
    open(params, DEEPEST, &mut out);
    out
}

/// How many levels of objects are opened.
const DEEPEST: usize = 4;

fn open(params: &Json, left: usize, out: &mut Vec<(String, String)>) {
    for (key, value) in params.as_object().into_iter().flatten() {
        match value {
            Json::Null => {}
            Json::Object(inner) if !inner.is_empty() && left > 0 && civil(value).is_none() => {
                open(value, left - 1, out);
            }
            value => out.push((words(key), short(value))),
        }
    }
}

/// How many characters of a parameter are shown.
const LONGEST: usize = 240;

fn short(value: &Json) -> String {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Array(items) if items.iter().all(Json::is_string) => {
            items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", ")
        }
        other => match civil(other) {
            Some(date) => date,
            None => other.to_string(),
        },
    };
    if text.chars().count() <= LONGEST { text } else { text.chars().take(LONGEST).chain(['…']).collect() }
}

/// Formats `{"year":2026,"month":11,"day":20}` as a date, and two of them as a range.
fn civil(value: &Json) -> Option<String> {
    let part = |value: &Json, key: &str| value.get(key).and_then(Json::as_u64);
    if let (Some(year), Some(month), Some(day)) = (part(value, "year"), part(value, "month"), part(value, "day")) {
        return Some(format::date(&format!("{year:04}-{month:02}-{day:02}")));
    }
    let (from, to) = value
        .get("startDate")
        .zip(value.get("endDate"))
        .or_else(|| value.get("start_date").zip(value.get("end_date")))
        .or_else(|| value.get("from").zip(value.get("to")))?;
    Some(format!("{} to {}", date_of(from)?, date_of(to)?))
}

fn date_of(value: &Json) -> Option<String> {
    value.as_str().map(format::date).or_else(|| civil(value))
}

#[cfg(test)]
mod tests {
    use adagent_domain::{RunId, SequentialIds, Source, Timestamp, ToolCallId};
    use serde_json::json;

    use adagent_domain::Network;

    use super::*;

    fn turn(steps: Vec<StepView>) -> TurnView {
        let mut turn = TurnView::new(RunId::new(&SequentialIds::default()));
        turn.steps = steps;
        turn
    }

    fn tool(network: Network, read_only: bool, state: StepState) -> StepView {
        StepView::Tool {
            at: Timestamp::EPOCH,
            tool_call_id: ToolCallId::new(&SequentialIds::default()),
            name: "x".into(),
            source: Source::Network(network),
            params: Json::Null,
            read_only,
            state,
            message: None,
            progress: Some(Progress { done: 3, total: 5 }),
            summary: None,
            result: None,
            artifact: None,
            duration_ms: None,
            cached: false,
            done_at: None,
            to: None,
        }
    }

    #[test]
    fn the_headline_says_what_was_touched() {
        let read = tool(Network::AdMob, true, StepState::Ok);
        assert_eq!(headline(&turn(vec![read.clone(), read.clone()])), "Read AdMob in 2 steps");
        let denied = tool(Network::AdMob, false, StepState::Denied);
        assert_eq!(headline(&turn(vec![denied])), "Drafted a change for AdMob in 1 step");
        let changed = tool(Network::Mintegral, false, StepState::Ok);
        assert_eq!(headline(&turn(vec![read.clone(), changed])), "Changed Mintegral in 2 steps");
        let failed = tool(Network::Unity, true, StepState::Failed);
        assert_eq!(headline(&turn(vec![read, failed])), "Read AdMob and Unity in 2 steps, 1 failed");
        assert_eq!(headline(&turn(Vec::new())), "Answered in 0 steps");
        let mut stopped =
            turn(vec![tool(Network::AdMob, true, StepState::Ok), tool(Network::Unity, true, StepState::Stopped)]);
        stopped.status = RunStatus::Cancelled;
        assert_eq!(headline(&stopped), "Stopped after 2 steps", "a stop is no failure");
    }

    #[test]
    fn progress_is_that_of_the_call_that_runs() {
        let view =
            turn(vec![tool(Network::AdMob, true, StepState::Ok), tool(Network::AdMob, true, StepState::Running)]);
        assert_eq!(live_progress(&view), Some(Progress { done: 3, total: 5 }));
        assert_eq!(done_count(&view), 1);
        assert_eq!(live_progress(&turn(vec![tool(Network::AdMob, true, StepState::Ok)])), None);
    }

    #[test]
    fn parameters_read_as_people_write_them() {
        let shown = params(&json!({
            "account_id": "pub-1",
            "date_range": {"startDate": {"year": 2026, "month": 10, "day": 24}, "endDate": {"year": 2026, "month": 11, "day": 20}},
            "dimensions": ["DATE", "APP"],
            "body": {"displayName": "Tier 1", "reportSpec": {
                "dateRange": {"startDate": {"year": 2026, "month": 11, "day": 1}, "endDate": {"year": 2026, "month": 11, "day": 2}},
                "metrics": ["CLICKS"],
            }},
            "nothing": null,
        }));
        let text: Vec<String> = shown.into_iter().map(|(key, value)| format!("{key}: {value}")).collect();
        assert_eq!(
            text,
            [
                "Account ID: pub-1",
                "Date range: Oct 24, 2026 to Nov 20, 2026",
                "Dimensions: DATE, APP",
                "Display name: Tier 1",
                "Date range: Nov 1, 2026 to Nov 2, 2026",
                "Metrics: CLICKS"
            ]
        );
        assert!(short(&json!("ü".repeat(1000))).ends_with('…'));
    }

    #[test]
    fn nodes_have_names_people_know() {
        assert_eq!(agent_name("entity_loader").0, "Entities");
        assert_eq!(agent_name("admob_specialist").0, "Admob specialist");
    }
}
