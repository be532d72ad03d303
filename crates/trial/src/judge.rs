//! Decides whether what a person met is right. It looks at what was sent and shown, never at how the question was understood.

use adagent_contract::{RunStatus, StepState, StepView, TurnView};
use adagent_domain::Network;
use adagent_eval::Case;
use adagent_understanding::{Capability, Outcome};
use serde_json::Value as Json;

use crate::{arguments::holds, shown};

/// What a person met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The right operation with the right arguments, or the right refusal.
    Right,
    /// A question back, and nothing was done.
    Asked,
    /// The desk says that it cannot, and nothing was done. Nobody checked that this is true.
    Declined,
    Wrong(&'static str, String),
}

/// A call that read something.
pub(crate) struct Read<'a> {
    pub name: &'a str,
    pub params: &'a Json,
}

/// What the turn did, as far as it counts here.
pub(crate) struct Deeds<'a> {
    pub turn: &'a TurnView,
    pub reads: Vec<Read<'a>>,
}

impl<'a> Deeds<'a> {
    pub(crate) fn of(turn: &'a TurnView) -> Self {
        let reads = turn.steps.iter().filter_map(|step| match step {
            StepView::Tool { name, params, read_only: true, state: StepState::Ok, .. } => Some(Read { name, params }),
            _ => None,
        });
        Self { turn, reads: reads.collect() }
    }

    /// Whether the answer asks something back.
    fn asks(&self) -> bool {
        self.turn.approvals.is_empty() && self.turn.actions.is_empty() && shown::asks(&self.turn.answer)
    }

    /// Whether figures or things of a network are shown.
    fn shows(&self) -> bool {
        !self.turn.artifacts.is_empty()
    }

    fn on(&self, network: Network) -> bool {
        self.reads.iter().any(|read| read.name.split('_').next() == Some(network.id()))
    }
}

/// Judges one turn by its labels. Of several right outcomes, the kindest counts.
pub(crate) fn judge(case: &Case, turn: &TurnView) -> Verdict {
    if matches!(turn.status, RunStatus::Failed | RunStatus::Stopped) {
        let why = turn.stops.first().map(|stop| stop.content.clone()).unwrap_or_default();
        return Verdict::Wrong("failed", why);
    }
    let deeds = Deeds::of(turn);
    let outcomes = case.expect.outcome.into_iter().chain(case.expect.outcome_also.iter().copied());
    let mut verdicts: Vec<Verdict> = outcomes.map(|outcome| of_outcome(case, outcome, &deeds)).collect();
    verdicts.sort_by_key(|verdict| match verdict {
        Verdict::Right => 0,
        Verdict::Asked => 1,
        Verdict::Declined => 2,
        Verdict::Wrong(..) => 3,
    });
    if verdicts.is_empty() { Verdict::Wrong("no label", String::new()) } else { verdicts.swap_remove(0) }
}

fn of_outcome(case: &Case, outcome: Outcome, deeds: &Deeds<'_>) -> Verdict {
    match outcome {
        Outcome::Approval => change(case, deeds),
        Outcome::Answer if case.expect.capability == Some(Capability::Docs) && case.expect.tools_any.is_empty() => {
            words(deeds)
        }
        Outcome::Answer => answer(case, deeds),
        Outcome::Chat => words(deeds),
        Outcome::Refuse => refusal(deeds),
        Outcome::Clarify => clarification(deeds),
        Outcome::Connect | Outcome::Enable => missing(case, deeds),
    }
}

fn drafted(deeds: &Deeds<'_>) -> Option<Verdict> {
    let card = deeds.turn.approvals.first()?;
    Some(Verdict::Wrong("a change nobody asked for", format!("{} {}", card.tool_name, card.tool_input)))
}

fn acted(deeds: &Deeds<'_>) -> Option<Verdict> {
    let action = deeds.turn.actions.first()?;
    Some(Verdict::Wrong("something to connect", format!("{:?} {:?}", action.action, action.network)))
}

/// What was done instead of the right thing.
fn instead(deeds: &Deeds<'_>) -> Verdict {
    if deeds.asks() {
        return Verdict::Asked;
    }
    if !deeds.shows() && deeds.turn.actions.is_empty() {
        return Verdict::Declined;
    }
    acted(deeds).unwrap_or_else(|| {
        let names: Vec<&str> = deeds.reads.iter().map(|read| read.name).collect();
        Verdict::Wrong("something else was shown", names.join(", "))
    })
}

fn change(case: &Case, deeds: &Deeds<'_>) -> Verdict {
    let Some(tool) = &case.expect.write_tool else { return instead(deeds) };
    let cards = &deeds.turn.approvals;
    if cards.is_empty() {
        return instead(deeds);
    }
    if let Some(other) = cards.iter().find(|card| card.tool_name != *tool) {
        return Verdict::Wrong("another change", format!("{} {}", other.tool_name, other.tool_input));
    }
    let wrong =
        |card: &adagent_contract::TurnApproval| case.args.as_ref().and_then(|args| holds(args, &card.tool_input).err());
    let missed: Vec<Option<String>> = cards.iter().map(wrong).collect();
    // Of several labeled values one card may hold each, so one that fits is enough only where it stands alone.
    match (missed.iter().find_map(Clone::clone), missed.iter().filter(|it| it.is_none()).count()) {
        (None, _) => Verdict::Right,
        (Some(_), fits @ 1..) => {
            Verdict::Wrong("a change nobody asked for", format!("{} cards, {fits} meant", cards.len()))
        }
        (Some(first), 0) => Verdict::Wrong("other values", format!("{first}; the card: {}", cards[0].tool_input)),
    }
}

fn answer(case: &Case, deeds: &Deeds<'_>) -> Verdict {
    // Ad Manager needs a saved report to count from, which a person approves.
    let counts = |card: &adagent_contract::TurnApproval| case.expect.tools_any.contains(&card.tool_name);
    if let Some(wrong) = drafted(deeds) {
        return if deeds.turn.approvals.iter().all(counts) { Verdict::Right } else { wrong };
    }
    if case.expect.tools_any.is_empty() {
        let nothing = deeds.turn.answer.is_empty() || shown::declines(&deeds.turn.answer);
        return if nothing { instead(deeds) } else { Verdict::Right };
    }
    let right: Vec<&Read<'_>> =
        deeds.reads.iter().filter(|read| case.expect.tools_any.iter().any(|tool| tool == read.name)).collect();
    let of_tools = |network: &Network| case.expect.tools_any.iter().any(|tool| tool.starts_with(network.id()));
    let lacks = case.expect.services.iter().find(|network| of_tools(network) && !deeds.on(**network));
    if right.is_empty() {
        return instead(deeds);
    }
    if let Some(network) = lacks {
        return if deeds.asks() {
            Verdict::Asked
        } else {
            Verdict::Wrong("a network is left out", network.to_string())
        };
    }
    if deeds.asks() && !deeds.shows() {
        return Verdict::Asked;
    }
    if let Some(slots) = case.expect.slots.as_ref().filter(|slots| slots.is_object()) {
        return match shown::lacks(case, slots, deeds) {
            None => Verdict::Right,
            Some(("no figures" | "a metric is declined", _)) => Verdict::Declined,
            Some((kind, what)) => Verdict::Wrong(kind, what),
        };
    }
    let Some(args) = &case.args else { return Verdict::Right };
    // Further reads are right if the one that was meant is among them.
    let missed: Result<Vec<String>, ()> = right.iter().map(|read| holds(args, read.params).err().ok_or(())).collect();
    match missed {
        Err(()) => Verdict::Right,
        Ok(missed) => Verdict::Wrong("other arguments", missed.into_iter().next().unwrap_or_default()),
    }
}

fn words(deeds: &Deeds<'_>) -> Verdict {
    if let Some(wrong) = drafted(deeds) {
        return wrong;
    }
    if deeds.shows() {
        return instead(deeds);
    }
    if !deeds.turn.actions.is_empty() {
        return acted(deeds).unwrap_or(Verdict::Declined);
    }
    if deeds.asks() { Verdict::Asked } else { Verdict::Right }
}

fn refusal(deeds: &Deeds<'_>) -> Verdict {
    if let Some(wrong) = drafted(deeds) {
        return wrong;
    }
    if deeds.shows() { instead(deeds) } else { Verdict::Right }
}

fn clarification(deeds: &Deeds<'_>) -> Verdict {
    if let Some(wrong) = drafted(deeds) {
        return wrong;
    }
    if deeds.asks() { Verdict::Right } else { instead(deeds) }
}

fn missing(case: &Case, deeds: &Deeds<'_>) -> Verdict {
    if let Some(wrong) = drafted(deeds) {
        return wrong;
    }
    let wanted = &case.expect.services;
    let fits = |network: &Option<Network>| wanted.is_empty() || network.is_some_and(|it| wanted.contains(&it));
    if deeds.turn.actions.iter().any(|action| fits(&action.network)) {
        return Verdict::Right;
    }
    // A report over several networks may say in its answer which one is not there.
    instead(deeds)
}

#[cfg(test)]
mod tests {
    use adagent_contract::TurnView;
    use serde_json::json;

    use super::*;

    fn turn(answer: &str, read: &str) -> TurnView {
        let id = uuid::Uuid::nil().to_string();
        let mut view = json!(TurnView::new(id.parse().expect("an ID")));
        view["status"] = json!("completed");
        view["answer"] = json!(answer);
        if !read.is_empty() {
            view["steps"] = json!([{
                "kind": "tool", "at": "2026-11-21T12:00:00Z", "tool_call_id": id, "name": read,
                "network": "admob", "params": {"account_id": "pub-1"}, "read_only": true, "state": "ok", "cached": false,
            }]);
            view["artifacts"] = json!([{"kind": "json", "title": "x", "value": {}}]);
        }
        serde_json::from_value(view).expect("a turn")
    }

    fn case(expect: &serde_json::Value) -> Case {
        let record = json!({"id": "x", "query": "q", "context": {"connected": ["admob"]}, "expect": expect});
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("x.jsonl");
        std::fs::write(&file, record.to_string()).expect("written");
        let sets = adagent_eval::Sets::read(&[file], "2026-11-21").expect("read");
        let (_, scripts) = sets.scripts().next().expect("a file");
        scripts[0][0].clone()
    }

    #[test]
    fn a_verdict_follows_from_what_was_read_shown_and_asked() {
        let list = case(&json!({"services": ["admob"], "outcome": "answer", "tools_any": ["admob_list_apps"]}));
        assert_eq!(judge(&list, &turn("Two apps.", "admob_list_apps")), Verdict::Right);
        assert!(matches!(judge(&list, &turn("Two groups.", "admob_list_mediation_groups")), Verdict::Wrong(..)));
        assert_eq!(judge(&list, &turn("Which app do you mean? Nothing has been changed.", "")), Verdict::Asked);
        assert_eq!(judge(&list, &turn("I can't do that.", "")), Verdict::Declined);
        let words = case(&json!({"services": [], "outcome": "answer", "capability": "docs", "tools_any": []}));
        assert_eq!(judge(&words, &turn("A floor is the lowest price.", "")), Verdict::Right);
        let change = case(
            &json!({"services": ["admob"], "outcome": "approval", "write_tool": "admob_create_app", "tools_any": []}),
        );
        assert!(matches!(judge(&change, &turn("Two apps.", "admob_list_apps")), Verdict::Wrong(..)));
    }
}
