//! Compares a prediction with the correct answers, by the rules of the sets' own scoring.

use std::collections::BTreeSet;

use adagent_domain::Network;
use serde_json::Value;

use crate::{Case, Prediction, filters_json};
use adagent_understanding::{Outcome, Slots};

/// The verdicts on one question; `None` if there is no label.
#[expect(clippy::struct_excessive_bools, reason = "one verdict per thing measured")]
#[derive(Debug, Clone, Default)]
pub(super) struct Judged {
    pub services: bool,
    pub capability: bool,
    pub path: bool,
    pub outcome: bool,
    pub tool_at_1: Option<bool>,
    pub recall_at_15: Option<bool>,
    pub write_in_15: Option<bool>,
    /// Counts of right, extra and missing slots.
    pub slots: Option<(usize, usize, usize)>,
    /// What should be done with the message; `None` if that is neither a change nor a read, or may be both.
    pub right_deed: Option<Deed>,
    pub deed: Option<Deed>,
    /// Whether the person is asked before anything is done.
    pub asked: bool,
    pub confidence: f64,
    pub got: String,
    pub wanted: String,
    pub got_capability: String,
}

/// What is done with a message that asks for a change or for data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    Read,
    Change,
    /// Asks the person which of the two they mean.
    Ask,
}

fn deed(outcome: Outcome) -> Option<Deed> {
    match outcome {
        Outcome::Approval | Outcome::Clarify => Some(Deed::Change),
        Outcome::Answer => Some(Deed::Read),
        _ => None,
    }
}

fn right_deed(case: &Case) -> Option<Deed> {
    let right = case.expect.outcome.and_then(deed)?;
    let both = case.expect.outcome_also.iter().any(|other| deed(*other).is_some_and(|other| other != right));
    let explains = right == Deed::Read && case.expect.capability == Some(adagent_understanding::Capability::Docs);
    (!both && !explains).then_some(right)
}

impl Judged {
    pub fn route(&self) -> bool {
        self.services && self.capability && self.path && self.outcome
    }

    pub fn right(&self) -> bool {
        self.route() && self.tool_at_1 != Some(false) && self.slots.is_none_or(|(_, b, c)| b + c == 0)
    }
}

type Pairs = BTreeSet<String>;

fn filter_pairs(out: &mut Pairs, field: &str, value: &Value) {
    match value {
        Value::Array(list) => {
            for v in list {
                let text = v.as_str().map_or_else(|| v.to_string(), str::to_owned).to_lowercase();
                out.insert(format!("filter {field}={text}"));
            }
        }
        Value::Object(map) => {
            for (op, v) in map {
                let text = match v {
                    Value::Array(list) => {
                        let mut names: Vec<String> =
                            list.iter().map(|x| x.as_str().map_or_else(|| x.to_string(), str::to_owned)).collect();
                        names.sort();
                        names.join(",")
                    }
                    Value::Number(n) => n.as_f64().unwrap_or_default().to_string(),
                    other => other.to_string(),
                };
                out.insert(format!("filter {field} {op} {text}"));
            }
        }
        _ => {}
    }
}

fn list(value: &Value, key: &str) -> Vec<String> {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(|l| l.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default()
}

fn wanted_pairs(slots: &Value) -> Pairs {
    let mut out = Pairs::new();
    out.extend(list(slots, "metrics").into_iter().map(|m| format!("metric {m}")));
    out.extend(list(slots, "dimensions").into_iter().map(|d| format!("dimension {d}")));
    for key in ["date_from", "date_to"] {
        if let Some(v) = slots.get(key).and_then(Value::as_str) {
            out.insert(format!("{key} {v}"));
        }
    }
    if let Some(n) = slots.get("limit").and_then(Value::as_u64) {
        out.insert(format!("limit {n}"));
    }
    for (field, value) in slots.get("filters").and_then(Value::as_object).into_iter().flatten() {
        filter_pairs(&mut out, field, value);
    }
    if let Some(c) = slots.get("compare_to").filter(|c| c.is_object()) {
        for (name, key) in [("compare_from", "date_from"), ("compare_to", "date_to")] {
            out.insert(format!("{name} {}", c.get(key).and_then(Value::as_str).unwrap_or("-")));
        }
    }
    out
}

fn got_pairs(slots: &Slots) -> Pairs {
    let mut out = Pairs::new();
    out.extend(slots.metrics.iter().map(|m| format!("metric {m}")));
    out.extend(slots.dimensions.iter().map(|d| format!("dimension {d}")));
    out.extend(slots.date_from.iter().map(|d| format!("date_from {d}")));
    out.extend(slots.date_to.iter().map(|d| format!("date_to {d}")));
    out.extend(slots.limit.iter().map(|n| format!("limit {n}")));
    for (field, value) in filters_json(slots) {
        filter_pairs(&mut out, &field, &value);
    }
    if let Some(c) = &slots.compare_to {
        out.insert(format!("compare_from {}", c.date_from));
        out.insert(format!("compare_to {}", c.date_to));
    }
    out
}

/// Returns the expected slots. A listed alternative that fits the prediction replaces the first answer.
fn with_alternatives(case: &Case, got: &Slots) -> Value {
    let mut slots = case.expect.slots.clone().unwrap_or(Value::Null);
    let Some(map) = slots.as_object_mut() else { return slots };
    for alternative in &case.expect.dates_also {
        let (from, to) = match alternative {
            Value::Array(pair) => {
                (pair.first().cloned().unwrap_or(Value::Null), pair.get(1).cloned().unwrap_or(Value::Null))
            }
            other => (
                other.get("date_from").cloned().unwrap_or(Value::Null),
                other.get("date_to").cloned().unwrap_or(Value::Null),
            ),
        };
        if from.as_str() == got.date_from.as_deref() && to.as_str() == got.date_to.as_deref() {
            map.insert("date_from".into(), from);
            map.insert("date_to".into(), to);
        }
    }
    let sorted = |v: &[String]| {
        let mut v = v.to_vec();
        v.sort();
        v
    };
    for (key, alternatives, mine) in [
        ("metrics", &case.expect.metrics_also, &got.metrics),
        ("dimensions", &case.expect.dimensions_also, &got.dimensions),
    ] {
        for alternative in alternatives {
            let names: Vec<String> = alternative
                .as_array()
                .map(|l| l.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .or_else(|| alternative.as_str().map(|name| vec![name.to_owned()]))
                .unwrap_or_default();
            if sorted(&names) == sorted(mine) {
                map.insert(key.into(), Value::from(names));
            }
        }
    }
    for alternative in &case.expect.limit_also {
        if alternative.as_u64() == got.limit.map(u64::from) {
            map.insert("limit".into(), alternative.clone());
        }
    }
    for alternative in &case.expect.compare_also {
        let same = match (&got.compare_to, alternative) {
            (None, Value::Null) => true,
            (Some(c), Value::Array(pair)) => {
                pair.first().and_then(Value::as_str) == Some(&c.date_from)
                    && pair.get(1).and_then(Value::as_str) == Some(&c.date_to)
            }
            (Some(c), v) => {
                v.get("date_from").and_then(Value::as_str) == Some(&c.date_from)
                    && v.get("date_to").and_then(Value::as_str) == Some(&c.date_to)
            }
            _ => false,
        };
        if same {
            let value = got
                .compare_to
                .as_ref()
                .map_or(Value::Null, |c| serde_json::json!({ "date_from": c.date_from, "date_to": c.date_to }));
            map.insert("compare_to".into(), value);
        }
    }
    slots
}

fn network_of(tool: &str) -> &str {
    tool.split('_').next().unwrap_or(tool)
}

fn sorted(services: &[Network]) -> Vec<&'static str> {
    let mut ids: Vec<&'static str> = services.iter().map(|n| n.id()).collect();
    ids.sort_unstable();
    ids
}

fn said<T: std::fmt::Debug>(label: Option<T>) -> String {
    label.map_or_else(|| "nothing".to_owned(), |label| format!("{label:?}"))
}

/// Judges one prediction.
pub(super) fn judge(case: &Case, prediction: &Prediction) -> Judged {
    let e = &case.expect;
    let u = prediction;
    let mine = sorted(u.services.as_deref().unwrap_or_default());
    let services =
        u.services.is_some() && (mine == sorted(&e.services) || e.services_also.iter().any(|s| mine == sorted(s)));
    let mut judged = Judged {
        services,
        capability: u.capability.is_some_and(|c| Some(c) == e.capability || e.capability_also.contains(&c)),
        path: u.path.is_some() && u.path == e.path,
        outcome: u.outcome.is_some_and(|o| Some(o) == e.outcome || e.outcome_also.contains(&o)),
        got_capability: said(u.capability).to_lowercase(),
        right_deed: right_deed(case),
        deed: if u.asks || u.unsure { Some(Deed::Ask) } else { u.outcome.and_then(deed) },
        asked: u.asks || u.unsure,
        confidence: u.confidence,
        ..Judged::default()
    };
    let top: Vec<&str> = prediction.tools.iter().take(15).map(String::as_str).collect();
    if !e.tools_any.is_empty() {
        judged.tool_at_1 = Some(top.first().is_some_and(|t| e.tools_any.iter().any(|x| x == t)));
        let asked: BTreeSet<&str> = e.tools_any.iter().map(|t| network_of(t)).collect();
        let found: BTreeSet<&str> =
            e.tools_any.iter().filter(|t| top.contains(&t.as_str())).map(|t| network_of(t)).collect();
        judged.recall_at_15 = Some(found.is_superset(&asked));
        judged.write_in_15 = e.write_tool.as_ref().map(|w| top.contains(&w.as_str()));
    }
    let mut slot_text = (String::new(), String::new());
    if e.slots.as_ref().is_some_and(|s| !s.is_null()) {
        let got = u.slots.clone().unwrap_or_default();
        let wanted = wanted_pairs(&with_alternatives(case, &got));
        let got = if u.slots.is_some() { got_pairs(&got) } else { Pairs::new() };
        judged.slots =
            Some((got.intersection(&wanted).count(), got.difference(&wanted).count(), wanted.difference(&got).count()));
        slot_text = (
            got.difference(&wanted).cloned().collect::<Vec<_>>().join("; "),
            wanted.difference(&got).cloned().collect::<Vec<_>>().join("; "),
        );
    }
    let tool = |ok: Option<bool>, name: Option<&str>| {
        if ok == Some(false) { format!(" tool {}", name.unwrap_or("-")) } else { String::new() }
    };
    judged.got = format!(
        "{} {} {} {}{}{}",
        mine.join("+"),
        said(u.capability),
        said(u.path),
        said(u.outcome),
        tool(judged.tool_at_1, top.first().copied()),
        if slot_text.0.is_empty() { String::new() } else { format!(" extra [{}]", slot_text.0) }
    );
    judged.wanted = format!(
        "{} {:?} {:?} {:?}{}{}",
        sorted(&e.services).join("+"),
        e.capability.unwrap_or(adagent_understanding::Capability::Assistant),
        e.path.unwrap_or(adagent_contract::Path::Reactive),
        e.outcome.unwrap_or(adagent_understanding::Outcome::Answer),
        tool(judged.tool_at_1, e.tools_any.first().map(String::as_str)),
        if slot_text.1.is_empty() { String::new() } else { format!(" missing [{}]", slot_text.1) }
    );
    judged
}
