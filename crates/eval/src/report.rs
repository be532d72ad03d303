//! The figures of an evaluation, per file and overall, and everything that was missed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use adagent_domain::Network;
use serde::Serialize;

use crate::Case;
use crate::score::{Deed, Judged};

/// Shares from 0 to 1; `None` if the set has no such labels.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Numbers {
    pub count: usize,
    pub services_capability: f64,
    pub path: f64,
    pub outcome: f64,
    pub route: f64,
    pub tool_at_1: Option<f64>,
    pub recall_at_15: Option<f64>,
    pub write_tool_at_15: Option<f64>,
    pub slot_f1: Option<f64>,
    pub slots_exact: Option<f64>,
    /// Share of scripts in which every turn's route is right.
    pub journeys: Option<f64>,
    /// Of the changes: the share that was read as questions, and the share where we asked back.
    pub changes_read: Option<f64>,
    pub changes_asked: Option<f64>,
    /// Of the questions for data: the share that was taken for changes, and the share where we asked back.
    pub reads_changed: Option<f64>,
    pub reads_asked: Option<f64>,
    /// The share where we asked back before doing anything; of these, the share of wrong routes; of the right routes, the share
    /// where we asked back; of the answered questions, the share of right routes.
    pub asked: f64,
    pub asked_wrong: Option<f64>,
    pub right_asked: Option<f64>,
    pub answered_right: Option<f64>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Miss {
    pub file: String,
    pub id: String,
    pub query: String,
    pub wanted: String,
    pub got: String,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct FileReport {
    #[serde(flatten)]
    pub numbers: Numbers,
    pub by_language: BTreeMap<String, Numbers>,
    pub by_tag: BTreeMap<String, Numbers>,
    /// Questions that are about AdMob alone.
    pub admob_only: Numbers,
    /// Counts by `right → predicted`.
    pub confusions: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    pub files: BTreeMap<String, FileReport>,
    pub overall: FileReport,
    pub misses: Vec<Miss>,
    #[serde(skip)]
    everything: Vec<(Case, Judged)>,
}

#[expect(clippy::cast_precision_loss, reason = "counts of questions")]
fn share(right: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { right as f64 / of as f64 }
}

fn some(verdicts: impl Iterator<Item = Option<bool>>) -> Option<f64> {
    let all: Vec<bool> = verdicts.flatten().collect();
    (!all.is_empty()).then(|| share(all.iter().filter(|v| **v).count(), all.len()))
}

fn numbers(rows: &[&(Case, Judged)]) -> Numbers {
    let n = rows.len();
    let of = |f: &dyn Fn(&Judged) -> bool| share(rows.iter().filter(|r| f(&r.1)).count(), n);
    let slots: Vec<_> = rows.iter().filter_map(|r| r.1.slots).collect();
    let (tp, fp, fn_) = slots.iter().fold((0, 0, 0), |a, s| (a.0 + s.0, a.1 + s.1, a.2 + s.2));
    let deeds = |right: Deed, done: Deed| {
        let of = rows.iter().filter(|r| r.1.right_deed == Some(right));
        some(of.map(|r| Some(r.1.deed == Some(done))))
    };
    let mut scripts: BTreeMap<&str, bool> = BTreeMap::new();
    for (case, judged) in rows.iter().map(|r| (&r.0, &r.1)) {
        if let Some(script) = &case.script {
            *scripts.entry(script).or_insert(true) &= judged.right();
        }
    }
    Numbers {
        count: n,
        services_capability: of(&|j| j.services && j.capability),
        path: of(&|j| j.path),
        outcome: of(&|j| j.outcome),
        route: of(&Judged::route),
        tool_at_1: some(rows.iter().map(|r| r.1.tool_at_1)),
        recall_at_15: some(rows.iter().map(|r| r.1.recall_at_15)),
        write_tool_at_15: some(rows.iter().map(|r| r.1.write_in_15)),
        slot_f1: (!slots.is_empty()).then(|| share(2 * tp, 2 * tp + fp + fn_)),
        slots_exact: (!slots.is_empty()).then(|| share(slots.iter().filter(|s| s.1 + s.2 == 0).count(), slots.len())),
        journeys: (!scripts.is_empty()).then(|| share(scripts.values().filter(|v| **v).count(), scripts.len())),
        changes_read: deeds(Deed::Change, Deed::Read),
        changes_asked: deeds(Deed::Change, Deed::Ask),
        reads_changed: deeds(Deed::Read, Deed::Change),
        reads_asked: deeds(Deed::Read, Deed::Ask),
        asked: of(&|j| j.asked),
        asked_wrong: some(rows.iter().filter(|r| r.1.asked).map(|r| Some(!r.1.route()))),
        right_asked: some(rows.iter().filter(|r| r.1.route()).map(|r| Some(r.1.asked))),
        answered_right: some(rows.iter().filter(|r| !r.1.asked).map(|r| Some(r.1.route()))),
    }
}

/// Formats a percentage for a table.
fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| format!("{:.1}", value * 100.0))
}

fn file_report(rows: &[&(Case, Judged)]) -> FileReport {
    let mut by_language: BTreeMap<String, Vec<&(Case, Judged)>> = BTreeMap::new();
    let mut by_tag: BTreeMap<String, Vec<&(Case, Judged)>> = BTreeMap::new();
    let mut confusions: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        by_language.entry(row.0.lang.clone()).or_default().push(row);
        for tag in &row.0.tags {
            by_tag.entry(tag.clone()).or_default().push(row);
        }
        if let (false, Some(right)) = (row.1.capability, row.0.expect.capability) {
            let right = format!("{right:?}").to_lowercase();
            *confusions.entry(format!("{right} → {}", row.1.got_capability)).or_default() += 1;
        }
    }
    let admob: Vec<&(Case, Judged)> =
        rows.iter().copied().filter(|r| r.0.expect.services == [Network::AdMob]).collect();
    FileReport {
        numbers: numbers(rows),
        by_language: by_language.into_iter().map(|(k, v)| (k, numbers(&v))).collect(),
        by_tag: by_tag.into_iter().map(|(k, v)| (k, numbers(&v))).collect(),
        admob_only: numbers(&admob),
        confusions,
    }
}

impl Report {
    pub(super) fn add(&mut self, file: &str, cases: &[Case], results: &[Judged]) {
        let rows: Vec<(Case, Judged)> = cases.iter().cloned().zip(results.iter().cloned()).collect();
        for (case, judged) in rows.iter().filter(|r| !r.1.right()) {
            self.misses.push(Miss {
                file: file.to_owned(),
                id: case.id.clone(),
                query: case.question.text.clone(),
                wanted: judged.wanted.clone(),
                got: judged.got.clone(),
            });
        }
        self.files.insert(file.to_owned(), file_report(&rows.iter().collect::<Vec<_>>()));
        self.everything.extend(rows);
    }

    pub(super) fn finish(&mut self) {
        self.overall = file_report(&self.everything.iter().collect::<Vec<_>>());
    }

    /// Returns tables for a terminal: figures first, then what was missed.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(
            out,
            "{:<26}{:>6}{:>10}{:>8}{:>9}{:>8}{:>8}{:>8}{:>9}{:>10}{:>9}{:>8}{:>9}{:>8}",
            "set",
            "count",
            "serv+cap",
            "path",
            "outcome",
            "tool@1",
            "rec@15",
            "slotF1",
            "exact",
            "journeys",
            "chg→read",
            "chg→ask",
            "read→chg",
            "read→ask"
        );
        let mut line = |name: &str, n: &Numbers| {
            let p = percent;
            let _ = writeln!(
                out,
                "{:<26}{:>6}{:>10}{:>8}{:>9}{:>8}{:>8}{:>8}{:>9}{:>10}{:>9}{:>8}{:>9}{:>8}",
                name,
                n.count,
                p(Some(n.services_capability)),
                p(Some(n.path)),
                p(Some(n.outcome)),
                p(n.tool_at_1),
                p(n.recall_at_15),
                p(n.slot_f1),
                p(n.slots_exact),
                p(n.journeys),
                p(n.changes_read),
                p(n.changes_asked),
                p(n.reads_changed),
                p(n.reads_asked)
            );
        };
        for (name, file) in &self.files {
            line(name, &file.numbers);
            if file.admob_only.count > 0 {
                line(&format!("  {name} admob only"), &file.admob_only);
            }
        }
        line("overall", &self.overall.numbers);
        line("overall, admob only", &self.overall.admob_only);
        for (lang, n) in &self.overall.by_language {
            line(&format!("  language {lang}"), n);
        }
        for (tag, n) in &self.overall.by_tag {
            line(&format!("  tag {tag}"), n);
        }
        self.asked_back(&mut out);
        self.reliability(&mut out);
        let _ = writeln!(out, "\ncapabilities confused (right → predicted): {:?}", self.overall.confusions);
        let _ = writeln!(out, "\n{} missed:", self.misses.len());
        for m in &self.misses {
            let _ = writeln!(out, "{} {:?}\n     want {}\n     got  {}", m.id, m.query, m.wanted, m.got);
        }
        out
    }

    /// Writes how often the person is asked back, and how well the rest is understood.
    fn asked_back(&self, out: &mut String) {
        let _ = writeln!(
            out,
            "\n| set | questions | asked back | wrong of the asked | right ones asked | right of the answered | all four |"
        );
        let _ = writeln!(out, "|---|---|---|---|---|---|---|");
        let files = self.files.iter().map(|(name, file)| (name.as_str(), &file.numbers));
        for (name, n) in files.chain([("overall", &self.overall.numbers)]) {
            let parts = [Some(n.asked), n.asked_wrong, n.right_asked, n.answered_right, Some(n.route)].map(percent);
            let _ = writeln!(out, "| {name} | {} | {} |", n.count, parts.join(" | "));
        }
    }

    /// Writes how often each range of confidence was right.
    fn reliability(&self, out: &mut String) {
        const EDGES: [f64; 12] = [0.0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01];
        let _ = writeln!(out, "\n| confidence | questions | all four right | asked back |\n|---|---|---|---|");
        for edge in EDGES.windows(2) {
            let inside = |judged: &Judged| (edge[0]..edge[1]).contains(&judged.confidence);
            let rows: Vec<&Judged> = self.everything.iter().map(|row| &row.1).filter(|judged| inside(judged)).collect();
            let of =
                |test: &dyn Fn(&Judged) -> bool| share(rows.iter().filter(|judged| test(judged)).count(), rows.len());
            let parts = [of(&Judged::route), of(&|judged| judged.asked)].map(|value| percent(Some(value)));
            let _ = writeln!(out, "| {} to {} | {} | {} |", edge[0], edge[1].min(1.0), rows.len(), parts.join(" | "));
        }
    }
}
