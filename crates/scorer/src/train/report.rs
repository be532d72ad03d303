//! The tables: how often each part is right, by writer, and how reliable the confidence is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use adagent_domain::Network;

use crate::decide::Decision;
use crate::facts::{Facts, place};
use crate::train::records::Record;
use crate::types::{Outcome, Scores};

/// How many tools a model is given.
const TOP: usize = 15;

#[expect(clippy::struct_excessive_bools, reason = "one verdict for each thing measured")]
#[derive(Debug, Clone)]
pub struct Judged {
    services: bool,
    capability: bool,
    path: bool,
    outcome: bool,
    tool: Option<bool>,
    recall: Option<bool>,
    confidence: f32,
    change: f32,
    hidden: bool,
    said: String,
}

fn tools(facts: &Facts, record: &Record, scores: &[f32]) -> Option<(bool, bool)> {
    let right = &record.expect.tools_any;
    let known = |name: &String| facts.operations.iter().find(|operation| operation.name == *name);
    let wanted: BTreeSet<usize> = right.iter().filter_map(known).map(|operation| place(operation.network)).collect();
    if wanted.is_empty() {
        return None;
    }
    let networks: Vec<usize> = record.expect.services.iter().map(|network| place(*network)).collect();
    let each = (TOP / networks.len().max(1)).max(1);
    let best = |network: &usize| {
        let mut list = facts.of[*network].clone();
        list.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        list
    };
    let lists: Vec<Vec<usize>> = networks.iter().map(best).collect();
    let first =
        lists.iter().filter_map(|list| list.first()).copied().reduce(|a, b| if scores[b] > scores[a] { b } else { a });
    let is_right = |at: usize| right.contains(&facts.operations[at].name);
    let found: BTreeSet<usize> = lists
        .iter()
        .flat_map(|list| list.iter().take(each))
        .filter(|at| is_right(**at))
        .map(|at| place(facts.operations[*at].network))
        .collect();
    Some((first.is_some_and(is_right), found.is_superset(&wanted)))
}

fn sorted(networks: &[Network]) -> BTreeSet<Network> {
    networks.iter().copied().collect()
}

impl Judged {
    pub fn new(facts: &Facts, record: &Record, decision: &Decision, scores: &Scores, operations: &[f32]) -> Self {
        let expect = &record.expect;
        let got = sorted(&decision.networks);
        let tools = tools(facts, record, operations);
        let ids = |list: &[Network]| list.iter().map(|n| n.id()).collect::<Vec<_>>().join("+");
        Self {
            services: got == sorted(&expect.services) || expect.services_also.iter().any(|also| sorted(also) == got),
            capability: decision.capability == expect.capability
                || expect.capability_also.contains(&decision.capability),
            path: decision.path == expect.path || expect.path_also.contains(&decision.path),
            outcome: decision.outcome == expect.outcome || expect.outcome_also.contains(&decision.outcome),
            tool: tools.map(|(first, _)| first),
            recall: tools.map(|(_, all)| all),
            confidence: decision.confidence,
            change: scores.change(),
            hidden: record.hidden,
            said: format!(
                "{} {:?} {:?} {:?} | got {} {:?} {:?} {:?} | con {} off {} h{} | {}",
                ids(&expect.services),
                expect.capability,
                expect.path,
                expect.outcome,
                ids(&decision.networks),
                decision.capability,
                decision.path,
                decision.outcome,
                ids(&record.connected),
                ids(&record.disabled),
                record.history.len(),
                record.text
            ),
        }
    }

    fn right(&self) -> bool {
        self.services && self.capability && self.path && self.outcome
    }
}

#[derive(Debug)]
pub struct Report {
    rows: Vec<(String, bool, Judged)>,
}

#[expect(clippy::cast_precision_loss, reason = "thousands of questions")]
fn share(yes: usize, all: usize) -> f64 {
    100.0 * yes as f64 / all.max(1) as f64
}

fn percent<'a>(rows: impl Iterator<Item = &'a Judged>, yes: impl Fn(&Judged) -> Option<bool>) -> f64 {
    let (mut right, mut all) = (0, 0);
    for verdict in rows.filter_map(yes) {
        all += 1;
        right += usize::from(verdict);
    }
    share(right, all)
}

impl Report {
    pub fn new(records: &[Record], judged: Vec<Judged>) -> Self {
        let is_change = |record: &Record| record.expect.outcome == Outcome::Approval;
        let rows =
            records.iter().zip(judged).map(|(record, judged)| (record.writer.clone(), is_change(record), judged));
        Self { rows: rows.collect() }
    }

    fn line(&self, out: &mut String, name: &str, which: impl Fn(&str) -> bool) {
        let rows: Vec<&Judged> =
            self.rows.iter().filter(|(writer, ..)| which(writer)).map(|(.., judged)| judged).collect();
        let of = |yes: &dyn Fn(&Judged) -> Option<bool>| percent(rows.iter().copied(), yes);
        let _ = writeln!(
            out,
            "| {name} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
            rows.len(),
            of(&|j| Some(j.services)),
            of(&|j| Some(j.capability)),
            of(&|j| Some(j.services && j.capability)),
            of(&|j| Some(j.path)),
            of(&|j| Some(j.outcome)),
            of(&|j| Some(j.right())),
            of(&|j| j.tool),
            of(&|j| j.recall),
        );
    }

    fn changes(&self, out: &mut String) {
        let _ = writeln!(out, "\n| read only if p(change) < | changes read | reads asked back |\n|---|---|---|");
        for threshold in [0.5, 0.3, 0.2, 0.1] {
            let below = |change: bool| {
                let rows: Vec<f32> =
                    self.rows.iter().filter(|(_, is, _)| *is == change).map(|(.., j)| j.change).collect();
                share(rows.iter().filter(|p| **p < threshold).count(), rows.len())
            };
            let _ = writeln!(out, "| {threshold} | {:.1} | {:.1} |", below(true), 100.0 - below(false));
        }
    }

    fn reliability(&self, out: &mut String) {
        let _ = writeln!(out, "\n| confidence | questions | all four right |\n|---|---|---|");
        let edges = [0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01];
        for edge in edges.windows(2) {
            let rows: Vec<&Judged> =
                self.rows.iter().map(|(.., j)| j).filter(|j| (edge[0]..edge[1]).contains(&j.confidence)).collect();
            let right = rows.iter().filter(|j| j.right()).count();
            let _ = writeln!(
                out,
                "| {:.1} to {:.1} | {} | {:.1} |",
                edge[0],
                edge[1].min(1.0),
                rows.len(),
                share(right, rows.len())
            );
        }
    }

    pub fn text(&self) -> String {
        let head = "| writer | questions | services | capability | services + capability | path | outcome | all four | tool@1 | recall@15 |";
        let mut out = format!("{head}\n|---|---|---|---|---|---|---|---|---|---|\n");
        let known = ["base", "own", "nine"];
        let writers: BTreeSet<&str> = self.rows.iter().map(|(writer, ..)| writer.as_str()).collect();
        for writer in &writers {
            self.line(&mut out, writer, |other| other == *writer);
        }
        self.line(&mut out, "**strangers**", |writer| !known.contains(&writer));
        self.line(&mut out, "**all**", |_| true);
        self.changes(&mut out);
        self.reliability(&mut out);
        out
    }

    /// Returns every misunderstood question, with the prediction; without the hidden sets.
    pub fn misses(&self) -> String {
        let misses =
            self.rows.iter().filter(|(.., judged)| !judged.hidden && (!judged.right() || judged.tool == Some(false)));
        misses.fold(String::new(), |out, (writer, _, j)| {
            let mark = |yes: bool, c: char| if yes { '.' } else { c };
            let marks: String = [
                mark(j.services, 'S'),
                mark(j.capability, 'C'),
                mark(j.path, 'P'),
                mark(j.outcome, 'O'),
                mark(j.tool != Some(false), 'T'),
            ]
            .iter()
            .collect();
            out + &format!("{writer} {marks} {}\n", j.said)
        })
    }
}
