//! The labeled questions of `evals/`. Every turn of a script counts as a question with its history.

use std::path::{Path, PathBuf};

use adagent_contract::HistoryEntry;
use adagent_domain::Network;
use serde::Deserialize;
use serde_json::Value;

use crate::types::{Capability, Outcome, Question};

#[derive(Debug, Clone, Deserialize)]
pub struct Expect {
    pub services: Vec<Network>,
    pub capability: Capability,
    pub path: adagent_contract::Path,
    pub outcome: Outcome,
    #[serde(default)]
    pub tools_any: Vec<String>,
    #[serde(skip)]
    pub services_also: Vec<Vec<Network>>,
    #[serde(skip)]
    pub capability_also: Vec<Capability>,
    #[serde(skip)]
    pub path_also: Vec<adagent_contract::Path>,
    #[serde(skip)]
    pub outcome_also: Vec<Outcome>,
}

#[derive(Debug, Clone)]
pub struct Record {
    pub text: String,
    pub history: Vec<HistoryEntry>,
    pub connected: Vec<Network>,
    pub disabled: Vec<Network>,
    pub expect: Expect,
    /// The writer; all questions of one writer are left out together.
    pub writer: String,
    /// Whether its misses must not be looked at.
    pub hidden: bool,
}

impl Record {
    /// Checks whether a stranger wrote it. Strangers write like future users; the older sets were written together with the
    /// rules.
    pub fn is_strangers(&self) -> bool {
        !["base", "own", "nine", "made"].contains(&self.writer.as_str())
    }

    pub fn question(&self) -> Question<'_> {
        Question { text: &self.text, history: &self.history, connected: &self.connected, disabled: &self.disabled }
    }
}

/// Reads one value or a list of values.
fn also<T: serde::de::DeserializeOwned>(record: &Value, key: &str) -> Vec<T> {
    let value = record["expect"].get(key).or_else(|| record.get(key)).cloned().unwrap_or(Value::Null);
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list.into_iter().filter_map(|v| serde_json::from_value(v).ok()).collect(),
        one => serde_json::from_value(one).into_iter().collect(),
    }
}

fn expect(record: &Value) -> Result<Expect, String> {
    let mut expect: Expect = serde_json::from_value(record["expect"].clone()).map_err(|e| e.to_string())?;
    expect.services_also = also(record, "services_also");
    if expect.services_also.is_empty() {
        let flat: Vec<Network> = also(record, "services_also");
        if !flat.is_empty() {
            expect.services_also.push(flat);
        }
    }
    expect.capability_also = also(record, "capability_also");
    expect.path_also = also(record, "path_also");
    expect.outcome_also = also(record, "outcome_also");
    Ok(expect)
}

fn networks(value: &Value) -> Vec<Network> {
    serde_json::from_value(value.clone()).unwrap_or_default()
}

fn history(value: &Value) -> Vec<HistoryEntry> {
    let entries = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    let entry = |(at, entry): (usize, &Value)| {
        let content = entry.as_str().or_else(|| entry["content"].as_str())?;
        let role = entry["role"].as_str().unwrap_or(role(at));
        Some(HistoryEntry { role: role.to_owned(), content: content.to_owned() })
    };
    entries.iter().enumerate().filter_map(entry).collect()
}

fn text(value: &Value) -> Result<String, String> {
    value["query"].as_str().map(str::to_owned).ok_or_else(|| "a record has no query".to_owned())
}

fn script(
    record: &Value,
    turns: &[Value],
    (writer, hidden): (&str, bool),
    out: &mut Vec<Record>,
) -> Result<(), String> {
    let mut connected = networks(&record["context"]["connected"]);
    let mut disabled = networks(&record["context"]["disabled"]);
    let mut said = history(&record["context"]["history"]);
    for turn in turns {
        let before = &turn["before"];
        if let Some(network) = networks(&Value::Array(vec![before["network"].clone()])).first() {
            match before["event"].as_str() {
                Some("connected") => connected.push(*network),
                Some("enabled") => disabled.retain(|other| other != network),
                _ => {}
            }
        }
        let text = text(turn)?;
        out.push(Record {
            text: text.clone(),
            history: said.clone(),
            connected: connected.clone(),
            disabled: disabled.clone(),
            expect: expect(turn)?,
            writer: writer.to_owned(),
            hidden,
        });
        said.push(HistoryEntry { role: "user".into(), content: text });
        let reply = turn["reply"].as_str().unwrap_or_default().to_owned();
        said.push(HistoryEntry { role: "assistant".into(), content: reply });
    }
    Ok(())
}

/// Returns the writer of a file: everything by one person in one round counts as one writer.
fn writer(file: &Path, stranger: bool) -> String {
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let name = stem.trim_end_matches("-journeys");
    let known = ["own", "nine"].into_iter().find(|known| name.starts_with(known));
    if stranger { name.to_owned() } else { known.unwrap_or("base").to_owned() }
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let read = std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = read
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    Ok(files)
}

/// Reads all records of `evals/` and `evals/writers/`, in the order of the files.
pub fn read(evals: &Path) -> Result<Vec<Record>, String> {
    let mut out = Vec::new();
    let strangers = evals.join("writers");
    let mut all: Vec<(PathBuf, bool)> = files(evals)?.into_iter().map(|file| (file, false)).collect();
    if strangers.is_dir() {
        all.extend(files(&strangers)?.into_iter().map(|file| (file, true)));
    }
    for (file, stranger) in all {
        let hidden = file.to_string_lossy().contains("-hidden");
        let writer = writer(&file, stranger);
        let content = std::fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        for (line, raw) in content.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty()) {
            let wrong = |message: String| format!("{}, line {}: {message}", file.display(), line + 1);
            let record: Value = serde_json::from_str(raw).map_err(|e| wrong(e.to_string()))?;
            if let Some(turns) = record["turns"].as_array() {
                script(&record, turns, (&writer, hidden), &mut out).map_err(wrong)?;
                continue;
            }
            out.push(Record {
                text: text(&record).map_err(wrong)?,
                history: history(&record["context"]["history"]),
                connected: networks(&record["context"]["connected"]),
                disabled: networks(&record["context"]["disabled"]),
                expect: expect(&record).map_err(wrong)?,
                writer: writer.clone(),
                hidden,
            });
        }
    }
    Ok(out)
}
