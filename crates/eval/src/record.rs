//! The record format of the evaluation sets: single questions and scripts of turns.

use adagent_contract::HistoryEntry;
use adagent_domain::Network;
use serde::Deserialize;
use serde_json::Value;

use adagent_understanding::{Capability, Outcome, Question};

/// The correct answers for a question.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Expectation {
    pub services: Vec<Network>,
    pub capability: Option<Capability>,
    pub path: Option<adagent_contract::Path>,
    pub outcome: Option<Outcome>,
    #[serde(default)]
    pub tools_any: Vec<String>,
    #[serde(default)]
    pub write_tool: Option<String>,
    #[serde(default)]
    pub slots: Option<Value>,
    #[serde(default)]
    pub services_also: Vec<Vec<Network>>,
    #[serde(default, deserialize_with = "many")]
    pub capability_also: Vec<Capability>,
    #[serde(default, deserialize_with = "many")]
    pub outcome_also: Vec<Outcome>,
    #[serde(default)]
    pub dates_also: Vec<Value>,
    #[serde(default)]
    pub metrics_also: Vec<Value>,
    #[serde(default)]
    pub dimensions_also: Vec<Value>,
    #[serde(default)]
    pub limit_also: Vec<Value>,
    #[serde(default)]
    pub compare_also: Vec<Value>,
}

/// Reads one value or a list of values.
fn many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: serde::de::DeserializeOwned,
{
    let value = Value::deserialize(deserializer)?;
    let list = if let Value::Array(list) = value { list } else { vec![value] };
    list.into_iter().map(|v| serde_json::from_value(v).map_err(serde::de::Error::custom)).collect()
}

/// A question, its correct answers, and its metadata.
#[derive(Debug, Clone)]
pub struct Case {
    pub id: String,
    /// The ID of its script, if it is part of one.
    pub script: Option<String>,
    pub question: Question,
    pub expect: Expectation,
    pub lang: String,
    pub tags: Vec<String>,
    /// What the person did in the interface since the turn before.
    pub before: Option<Before>,
    /// The arguments that the words determine, by name; a field of the body as `body.field`.
    pub args: Option<Value>,
    /// What a good colleague would do.
    pub means: String,
}

/// What a person does in the interface between two turns of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    Approved,
    Denied,
    Connected(Network),
    Enabled(Network),
}

fn before(turn: &Value) -> Option<Before> {
    let before = turn.get("before").filter(|before| before.is_object())?;
    let network = || serde_json::from_value(before.get("network")?.clone()).ok();
    match before.get("event").and_then(Value::as_str)? {
        "approved" => Some(Before::Approved),
        "denied" => Some(Before::Denied),
        "connected" => network().map(Before::Connected),
        "enabled" => network().map(Before::Enabled),
        _ => None,
    }
}

fn args(record: &Value) -> Option<Value> {
    record.get("args").filter(|args| args.as_object().is_some_and(|args| !args.is_empty())).cloned()
}

fn means(record: &Value) -> String {
    record.get("means").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[derive(Deserialize)]
struct Context {
    #[serde(default)]
    connected: Vec<Network>,
    #[serde(default)]
    disabled: Vec<Network>,
    #[serde(default)]
    history: Vec<Value>,
}

fn part<T: serde::de::DeserializeOwned>(value: &Value, key: &str) -> Result<T, String> {
    serde_json::from_value(value.get(key).cloned().unwrap_or(Value::Null)).map_err(|e| format!("{key}: {e}"))
}

fn text(value: &Value, key: &str) -> Result<String, String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned).ok_or_else(|| format!("{key} is missing or no text"))
}

/// Reads the expectation. `*_also` keys may be in the record or in its expectation.
fn expectation(record: &Value) -> Result<Expectation, String> {
    let mut expect = record.get("expect").cloned().ok_or("expect is missing")?;
    if let (Some(map), Some(outer)) = (expect.as_object_mut(), record.as_object()) {
        for (key, value) in outer.iter().filter(|(k, _)| k.ends_with("_also")) {
            map.entry(key.clone()).or_insert_with(|| value.clone());
        }
        // Alternatives of slots may be next to the slots.
        let inner: Vec<(String, Value)> = map
            .get("slots")
            .and_then(Value::as_object)
            .map(|s| s.iter().filter(|(k, _)| k.ends_with("_also")).map(|(k, v)| (k.clone(), v.clone())).collect())
            .unwrap_or_default();
        for (key, value) in inner {
            map.entry(key).or_insert(value);
        }
        if let Some(list) = map.get_mut("services_also").and_then(Value::as_array_mut)
            && list.iter().all(Value::is_string)
            && !list.is_empty()
        {
            *list = vec![Value::Array(std::mem::take(list))];
        }
        for key in ["dates_also", "metrics_also", "dimensions_also", "limit_also", "compare_also"] {
            if let Some(value) = map.get_mut(key)
                && !value.is_array()
            {
                *value = Value::Array(vec![value.take()]);
            }
        }
    }
    serde_json::from_value(expect).map_err(|e| format!("expect: {e}"))
}

fn history(entries: &[Value]) -> Vec<HistoryEntry> {
    let role_at = |i: usize| if i.is_multiple_of(2) { "user" } else { "assistant" };
    entries
        .iter()
        .enumerate()
        .filter_map(|(i, e)| match e {
            Value::String(content) => Some(HistoryEntry { role: role_at(i).to_owned(), content: content.clone() }),
            other => {
                let content = other.get("content").and_then(Value::as_str)?;
                let role = other.get("role").and_then(Value::as_str).unwrap_or(role_at(i));
                Some(HistoryEntry { role: role.to_owned(), content: content.to_owned() })
            }
        })
        .collect()
}

/// Reads one record into its cases.
pub(super) fn read(record: &Value, today: &str, out: &mut Vec<Case>) -> Result<(), String> {
    let id = text(record, "id")?;
    let context: Context = part(record, "context")?;
    let lang = record.get("lang").and_then(Value::as_str).unwrap_or("en").to_owned();
    let tags: Vec<String> = record.get("tags").and_then(|t| serde_json::from_value(t.clone()).ok()).unwrap_or_default();
    let question = |query: String, history: Vec<HistoryEntry>, connected: Vec<Network>, disabled: Vec<Network>| {
        Question { text: query, history, connected, disabled, today: today.to_owned(), ..Question::default() }
    };
    let Some(turns) = record.get("turns").and_then(Value::as_array) else {
        let query = text(record, "query")?;
        out.push(Case {
            id,
            script: None,
            question: question(query, history(&context.history), context.connected, context.disabled),
            expect: expectation(record)?,
            lang,
            tags,
            before: None,
            args: args(record),
            means: means(record),
        });
        return Ok(());
    };
    let (mut connected, mut disabled) = (context.connected, context.disabled);
    let mut said: Vec<HistoryEntry> = history(&context.history);
    for (n, turn) in turns.iter().enumerate() {
        let before = before(turn);
        match before {
            Some(Before::Connected(network)) => connected.push(network),
            Some(Before::Enabled(network)) => disabled.retain(|other| *other != network),
            _ => {}
        }
        let query = text(turn, "query")?;
        out.push(Case {
            id: format!("{id}.{}", n + 1),
            script: Some(id.clone()),
            question: question(query.clone(), said.clone(), connected.clone(), disabled.clone()),
            expect: expectation(turn)?,
            lang: lang.clone(),
            tags: tags.clone(),
            before,
            args: args(turn),
            means: means(turn),
        });
        said.push(HistoryEntry { role: "user".into(), content: query });
        said.push(HistoryEntry {
            role: "assistant".into(),
            content: turn.get("reply").and_then(Value::as_str).unwrap_or("").to_owned(),
        });
    }
    Ok(())
}
