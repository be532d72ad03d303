//! Measures router, retrieval and slots against labeled questions, with the same code that the product runs.
//!
//! It knows no sentence of any set: it reads records, predicts and compares.

mod hosted;
mod record;
mod report;
mod score;

use std::path::{Path, PathBuf};

use adagent_domain::Network;
use adagent_scorer::Scorer;
use serde_json::Value;

use adagent_understanding::{Capability, Doubt, Outcome, Question, Slots};
use adagent_understanding::{RetrievableTool, ToolIndex};

pub use hosted::Hosted;
pub use record::{Before, Case, Expectation};
pub use report::{FileReport, Miss, Numbers, Report};

/// An error while reading a set.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}, line {line}: {message}; each line must be one record as evals/README.md describes")]
    Record { path: PathBuf, line: usize, message: String },
    #[error("no .jsonl file in {0}")]
    Empty(PathBuf),
}

/// The prediction for one question; a missing part counts as wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prediction {
    pub services: Option<Vec<Network>>,
    pub capability: Option<Capability>,
    pub path: Option<adagent_contract::Path>,
    pub outcome: Option<Outcome>,
    pub slots: Option<Slots>,
    /// Tool names, best first.
    pub tools: Vec<String>,
    /// Whether the person is asked if they mean a change.
    pub asks: bool,
    /// Whether the person is asked what they mean at all.
    pub unsure: bool,
    /// The probability that the route is right, 0 to 1.
    pub confidence: f64,
}

/// What is measured: the product's reading, the rules alone, or the rules with other learned scores.
#[derive(Debug, Default)]
enum Reader {
    #[default]
    Product,
    Rules,
    With(Box<Scorer>),
}

/// The local router and retrieval.
#[derive(Debug)]
pub struct Local {
    index: ToolIndex,
    reader: Reader,
}

impl Local {
    pub fn new(tools: &[RetrievableTool]) -> Self {
        Self { index: ToolIndex::new(tools), reader: Reader::Product }
    }

    /// Uses the rules alone.
    #[must_use]
    pub fn by_rules(mut self) -> Self {
        self.reader = Reader::Rules;
        self
    }

    /// Uses other learned scores than the product's.
    #[must_use]
    pub fn with_scorer(mut self, scorer: Scorer) -> Self {
        self.reader = Reader::With(Box::new(scorer));
        self
    }

    pub fn predict(&self, question: &Question) -> Prediction {
        let understood = match &self.reader {
            Reader::Product => adagent_understanding::understand(question),
            Reader::Rules => adagent_understanding::understand_by_rules(question),
            Reader::With(scorer) => adagent_understanding::understand_with(question, scorer),
        };
        let usable: Vec<_> = question.connected.iter().copied().filter(|n| !question.disabled.contains(n)).collect();
        let tools = self.index.rank(&understood, &question.text, &usable).into_iter().map(|(name, _)| name).collect();
        Prediction {
            services: Some(understood.services),
            capability: Some(understood.capability),
            path: Some(understood.path),
            outcome: Some(understood.outcome),
            slots: understood.slots,
            tools,
            asks: matches!(understood.doubt, Some(Doubt::ChangeOrShow { .. })),
            unsure: matches!(understood.doubt, Some(Doubt::Unsure { .. })),
            confidence: understood.confidence,
        }
    }
}

fn files(path: &Path) -> Result<Vec<PathBuf>, EvalError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let read = |source| EvalError::Read { path: path.to_owned(), source };
    let mut out = Vec::new();
    for entry in std::fs::read_dir(path).map_err(read)? {
        let file = entry.map_err(read)?.path();
        if file.extension().is_some_and(|e| e == "jsonl") {
            out.push(file);
        }
    }
    out.sort();
    if out.is_empty() { Err(EvalError::Empty(path.to_owned())) } else { Ok(out) }
}

/// Files of labeled questions.
#[derive(Debug)]
pub struct Sets {
    files: Vec<(String, Vec<Case>)>,
}

impl Sets {
    /// Reads files and folders; `today` is the day that the questions were written for.
    pub fn read(paths: &[PathBuf], today: &str) -> Result<Self, EvalError> {
        let mut out = Vec::new();
        for path in paths {
            for file in files(path)? {
                out.push((label(&out, &file), cases(&file, today)?));
            }
        }
        Ok(Self { files: out })
    }

    /// Returns all questions, in the order of the files.
    pub fn questions(&self) -> Vec<Question> {
        self.files.iter().flat_map(|(_, cases)| cases.iter().map(|case| case.question.clone())).collect()
    }

    /// Returns the questions of each file, with the file's name.
    pub fn by_file(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &Question>)> {
        self.files.iter().map(|(name, cases)| (name.as_str(), cases.iter().map(|case| &case.question)))
    }

    /// Returns each file's name with its questions, those of a script together.
    pub fn scripts(&self) -> impl Iterator<Item = (&str, Vec<&[Case]>)> {
        let together = |a: &Case, b: &Case| a.script.is_some() && a.script == b.script;
        self.files.iter().map(move |(name, cases)| (name.as_str(), cases.chunk_by(together).collect()))
    }

    /// Writes predictions in the format of the sets' own scoring program: one JSON object per line.
    pub fn lines(&self, predictions: &[Prediction]) -> String {
        let cases = self.files.iter().flat_map(|(_, cases)| cases);
        cases.zip(predictions).fold(String::new(), |out, (case, p)| {
            let slots = p.slots.as_ref().map(|slots| {
                let filters: serde_json::Map<String, Value> =
                    filters_json(slots).into_iter().map(|(field, value)| (field, whole(value))).collect();
                let mut value = serde_json::to_value(slots).unwrap_or(Value::Null);
                value["filters"] = Value::Object(filters);
                value
            });
            let line = serde_json::json!({
                "id": case.id, "services": p.services, "capability": p.capability, "path": p.path, "outcome": p.outcome,
                "tools": p.tools, "slots": slots, "asks": p.asks, "unsure": p.unsure, "confidence": p.confidence,
                "right": score::judge(case, p).route(),
            });
            out + &line.to_string() + "\n"
        })
    }

    /// Scores predictions, which must be in the order of the questions.
    pub fn score(&self, predictions: &[Prediction]) -> Report {
        let mut report = Report::default();
        let none = Prediction::default();
        let mut next = predictions.iter();
        for (name, cases) in &self.files {
            let judged: Vec<_> = cases.iter().map(|case| score::judge(case, next.next().unwrap_or(&none))).collect();
            report.add(name, cases, &judged);
        }
        report.finish();
        report
    }
}

/// Returns the label of a file. Two files with the same name are labeled with their folders.
fn label(known: &[(String, Vec<Case>)], file: &Path) -> String {
    let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    if known.iter().any(|(other, _)| *other == name) { file.to_string_lossy().into_owned() } else { name }
}

fn cases(file: &Path, today: &str) -> Result<Vec<Case>, EvalError> {
    let text = std::fs::read_to_string(file).map_err(|source| EvalError::Read { path: file.to_owned(), source })?;
    let mut cases = Vec::new();
    for (line, raw) in text.trim_start_matches('\u{feff}').lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let wrong = |message: String| EvalError::Record { path: file.to_owned(), line: line + 1, message };
        let value: Value = serde_json::from_str(raw).map_err(|e| wrong(e.to_string()))?;
        record::read(&value, today, &mut cases).map_err(wrong)?;
    }
    Ok(cases)
}

/// Scores the sets in files or folders with the local router.
pub fn run(paths: &[PathBuf], today: &str, local: &Local) -> Result<Report, EvalError> {
    let sets = Sets::read(paths, today)?;
    let predictions: Vec<Prediction> = sets.questions().iter().map(|question| local.predict(question)).collect();
    Ok(sets.score(&predictions))
}

/// Turns 1.0 into 1, as the sets write it.
fn whole(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.into_iter().map(|(k, v)| (k, whole(v))).collect()),
        Value::Number(n) => match n.as_f64() {
            #[expect(clippy::cast_possible_truncation, reason = "whole and far below the limit")]
            Some(f) if f.fract() == 0.0 && f.abs() < 1e15 => Value::from(f as i64),
            _ => Value::Number(n),
        },
        other => other,
    }
}

/// Returns slots as the sets write them.
fn filters_json(slots: &Slots) -> Vec<(String, Value)> {
    slots.filters.iter().map(|f| (f.field.clone(), serde_json::to_value(&f.value).unwrap_or(Value::Null))).collect()
}
