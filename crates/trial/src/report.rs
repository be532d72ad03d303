//! The table of a trial.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use adagent_eval::Case;
use serde_json::json;

use crate::{judge::Verdict, play::Played};

/// One judged turn.
pub(crate) struct Row {
    file: String,
    case: Case,
    verdict: Verdict,
}

#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

/// Counts of verdicts.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    right: usize,
    asked: usize,
    declined: usize,
    wrong: usize,
}

impl Counts {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        rows.fold(Self::default(), |mut counts, row| {
            match row.verdict {
                Verdict::Right => counts.right += 1,
                Verdict::Asked => counts.asked += 1,
                Verdict::Declined => counts.declined += 1,
                Verdict::Wrong(..) => counts.wrong += 1,
            }
            counts
        })
    }

    fn line(self, name: &str) -> String {
        let all = self.right + self.asked + self.declined + self.wrong;
        let parts = [self.right, self.asked, self.declined, self.wrong].map(|count| percent(count, all));
        format!("| {name} | {all} | {} |\n", parts.join(" | "))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
fn percent(part: usize, all: usize) -> String {
    if all == 0 { "–".into() } else { format!("{:.1}", part as f64 * 100.0 / all as f64) }
}

const HEAD: &str = "| | questions | right | asked | declined | wrong |\n|---|---|---|---|---|---|\n";

impl Report {
    pub(crate) fn add(&mut self, file: &str, played: &Played, verdict: Verdict) {
        self.rows.push(Row { file: file.to_owned(), case: played.case.clone(), verdict });
    }

    fn table(&self, title: &str, names: impl Fn(&Row) -> Vec<String>) -> String {
        let all: BTreeSet<String> = self.rows.iter().flat_map(&names).collect();
        let mut out = format!("\n{title}\n\n{HEAD}");
        for name in all {
            out += &Counts::of(self.rows.iter().filter(|row| names(row).contains(&name))).line(&name);
        }
        out
    }

    /// Returns the tables: overall, by file, outcome, network, capability and language, and what the wrong ones did.
    pub(crate) fn text(&self) -> String {
        let mut out = format!("{HEAD}{}", Counts::of(self.rows.iter()).line("all"));
        out += &self.table("By file", |row| vec![row.file.clone()]);
        out += &self.table("By right outcome", |row| vec![debug(row.case.expect.outcome)]);
        out += &self.table("By network", |row| match row.case.expect.services.as_slice() {
            [] => vec!["none".into()],
            [one] => vec![one.to_string()],
            _ => vec!["several".into()],
        });
        out += &self.table("By capability", |row| vec![debug(row.case.expect.capability)]);
        out += &self.table("By language", |row| vec![row.case.lang.clone()]);
        let mut kinds: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for row in &self.rows {
            if let Verdict::Wrong(kind, _) = &row.verdict {
                *kinds.entry((debug(row.case.expect.outcome), kind)).or_default() += 1;
            }
        }
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        out += "\nWhat the wrong ones did\n\n| right outcome | what came | count |\n|---|---|---|\n";
        for ((outcome, kind), count) in kinds {
            let _ = writeln!(out, "| {outcome} | {kind} | {count} |");
        }
        let scripts = self.scripts();
        let whole = scripts.values().filter(|whole| **whole).count();
        let _ = writeln!(
            out,
            "\nScripts in which every turn is right or asks: {whole} of {} ({}%).",
            scripts.len(),
            percent(whole, scripts.len())
        );
        out
    }

    /// Returns for each script whether every turn was right or asked back.
    fn scripts(&self) -> BTreeMap<&str, bool> {
        let mut scripts = BTreeMap::new();
        for row in &self.rows {
            if let Some(script) = &row.case.script {
                *scripts.entry(script.as_str()).or_insert(true) &=
                    matches!(row.verdict, Verdict::Right | Verdict::Asked);
            }
        }
        scripts
    }

    /// Returns one JSON object per turn: the question, what came and the verdict.
    pub(crate) fn line(played: &Played, verdict: &Verdict) -> String {
        let (name, kind, why) = match verdict {
            Verdict::Right => ("right", "", ""),
            Verdict::Asked => ("asked", "", ""),
            Verdict::Declined => ("declined", "", ""),
            Verdict::Wrong(kind, why) => ("wrong", *kind, why.as_str()),
        };
        let case = &played.case;
        let line = json!({
            "id": case.id, "query": case.question.text, "means": case.means, "verdict": name, "kind": kind, "why": why,
            "outcome": case.expect.outcome, "tools": case.expect.tools_any, "write": case.expect.write_tool,
            "slots": case.expect.slots, "args": case.args,
            "turn": played.met.as_ref().ok(),
        });
        format!("{line}\n")
    }
}

fn debug<T: std::fmt::Debug>(value: Option<T>) -> String {
    value.map_or_else(|| "none".into(), |value| format!("{value:?}").to_lowercase())
}
