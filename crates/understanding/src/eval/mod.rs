//! Measures router, retrieval and slots against labelled questions, with the same code the product runs.
//!
//! Knows no sentence of any set: it reads records, predicts, compares.

mod record;
mod report;
mod score;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::retrieve::{RetrievableTool, ToolIndex};
use crate::types::{Question, Slots, Understood};

pub use record::{Case, Expectation};
pub use report::{FileReport, Miss, Numbers, Report};

/// A set could not be read.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("cannot read {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}, line {line}: {message}; each line must be one record as evals/README.md describes")]
    Record { path: PathBuf, line: usize, message: String },
    #[error("no .jsonl file in {0}")]
    Empty(PathBuf),
}

/// What is predicted for one question.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    pub understood: Understood,
    /// Tool names, best first.
    pub tools: Vec<String>,
}

/// Something that answers like the router; hosted models are measured through it.
pub trait Predictor {
    fn predict(&self, question: &Question) -> Prediction;
}

/// The local router and retrieval.
#[derive(Debug)]
pub struct Local {
    index: ToolIndex,
}

impl Local {
    pub fn new(tools: &[RetrievableTool]) -> Self {
        Self { index: ToolIndex::new(tools) }
    }
}

impl Predictor for Local {
    fn predict(&self, question: &Question) -> Prediction {
        let understood = crate::understand(question);
        let usable: Vec<_> = question.connected.iter().copied().filter(|n| !question.disabled.contains(n)).collect();
        let tools = self.index.rank(&understood, &question.text, &usable).into_iter().map(|(name, _)| name).collect();
        Prediction { understood, tools }
    }
}

/// The tools of all nine catalogues, as far as ranking needs them.
pub fn bundled_tools() -> Vec<RetrievableTool> {
    serde_json::from_str(include_str!("../../data/tools.json")).expect("data/tools.json is checked by a test")
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

/// Runs the sets in files or folders with a predictor; `today` is the day they were written for.
pub fn run(paths: &[PathBuf], today: &str, predictor: &dyn Predictor) -> Result<Report, EvalError> {
    let mut report = Report::default();
    for path in paths {
        for file in files(path)? {
            let text =
                std::fs::read_to_string(&file).map_err(|source| EvalError::Read { path: file.clone(), source })?;
            let mut cases = Vec::new();
            for (line, raw) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
                let value: Value = serde_json::from_str(raw).map_err(|e| EvalError::Record {
                    path: file.clone(),
                    line: line + 1,
                    message: e.to_string(),
                })?;
                record::read(&value, today, &mut cases).map_err(|message| EvalError::Record {
                    path: file.clone(),
                    line: line + 1,
                    message,
                })?;
            }
            let results: Vec<_> = cases.iter().map(|c| score::judge(c, &predictor.predict(&c.question))).collect();
            let name = file.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            report.add(&name, &cases, &results);
        }
    }
    report.finish();
    Ok(report)
}

/// Slots as the sets write them.
pub(crate) fn filters_json(slots: &Slots) -> Vec<(String, Value)> {
    slots.filters.iter().map(|f| (f.field.clone(), serde_json::to_value(&f.value).unwrap_or(Value::Null))).collect()
}
