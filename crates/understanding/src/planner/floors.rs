//! Compares the floors of waterfall lines with what the same lines earned per thousand impressions. This must never advise a floor from
//! numbers of groups, formats or countries other than the line's own: an average over all of them is far below what a good line sells for.

use std::fmt::Write as _;

use adagent_contract::{Artifact, Column, ColumnKind, EntityItem, EntityKind, TableArtifact, Value};
use adagent_domain::{Currency, Money};
use jiff::civil::Date;
use serde_json::Value as Json;

use super::{
    format::{and, count, plain, range},
    lists,
    read::Turn,
    report::{
        merge::{Merged, Row, identity},
        metric::Metric,
        spec::{Plan, report_id},
    },
};

/// With fewer impressions than this, a line's eCPM is chance.
const ENOUGH: i128 = 1_000;

/// How many lines the sentence names.
const NAMED: usize = 4;

/// How many waterfall lines we can say nothing about, by reason.
#[derive(Default)]
struct Unknown {
    /// Lines whose ad source has another line in the same group: reports can't tell the two apart.
    twins: usize,
    quiet: usize,
}

impl Unknown {
    fn reasons(&self) -> Vec<String> {
        let mut out = Vec::new();
        if self.quiet > 0 {
            out.push(format!("{} had fewer than 1,000 impressions", count(self.quiet, "line", "lines")));
        }
        if self.twins > 0 {
            out.push(format!(
                "{} an ad source with another line in the same group, and reports combine those",
                if self.twins == 1 { "1 line shares".to_owned() } else { format!("{} lines share", self.twins) }
            ));
        }
        out
    }
}

/// Compares the floors with `seen`, the earnings by mediation group and ad source in the period.
pub(super) fn advice(
    turn: &Turn<'_>,
    plan: &Plan,
    seen: &Merged,
    (from, to): (Date, Date),
) -> (String, Option<Artifact>) {
    let currency = seen.currency();
    let (mut rows, mut gaps, mut unknown) = (Vec::new(), Vec::new(), Unknown::default());
    let read = |group: &&EntityItem| plan.accounts.iter().any(|own| group.account.as_deref() == Some(own.id.as_str()));
    for group in turn.of_kind(EntityKind::MediationGroup).filter(read) {
        let lines = lists::lines_of(group);
        for (_, line) in &lines {
            let Some(floor) = floor(line, currency) else { continue };
            let source = source(line);
            if lines.iter().filter(|(_, other)| self::source(other) == source).count() > 1 {
                unknown.twins += 1;
                continue;
            }
            let own = seen.rows.iter().find(|row| is_line(row, group, source));
            let own = own.filter(|row| row.sums.impressions.unwrap_or(0) >= ENOUGH);
            let Some(Value::Money { money: ecpm }) = own.map(|row| Metric::Ecpm.of(&row.sums, currency)) else {
                unknown.quiet += 1;
                continue;
            };
            // Rounded down to whole cents, a price that a person can use as it is.
            let proposal = Money::new(currency, ecpm.micros / 10_000 * 10_000);
            let name = lists::source_name(turn, line);
            let gap = (ecpm.micros - floor.micros).abs();
            if gap * 10 > floor.micros {
                let (now, then) = (floor.display(2), proposal.display(2));
                gaps.push((gap, format!("{} in {}: {now} → {then}", plain(&name), plain(&group.name))));
            }
            rows.push(vec![
                Value::Entity { id: group.id.clone(), name: group.name.clone() },
                Value::Text { value: name },
                Value::Money { money: floor },
                own.map_or(Value::Missing, |row| Metric::Impressions.of(&row.sums, currency)),
                Value::Money { money: ecpm },
                Value::Money { money: proposal },
            ]);
        }
    }
    let reasons = unknown.reasons();
    if rows.is_empty() {
        let why = if reasons.is_empty() { "none of your lines has a manual floor".to_owned() } else { and(&reasons) };
        return (format!("I have no floor to suggest: {why}."), None);
    }
    gaps.sort_by_key(|(gap, _)| std::cmp::Reverse(*gap));
    let named: Vec<String> = gaps.into_iter().take(NAMED).map(|(_, line)| line).collect();
    let days = range(from, to);
    let mut words = if named.is_empty() {
        format!("Your waterfall floors are within 10% of the eCPM of the same lines over {days}. I'd leave them.")
    } else {
        format!(
            "These floors are more than a tenth off the eCPM the same line had over {days} (current → suggested): {}. Ask me to set one, and I'll draft it for your approval.",
            named.join("; ")
        )
    };
    if !reasons.is_empty() {
        let _ = write!(words, " No suggestion for the rest: {}.", and(&reasons));
    }
    (words, Some(table(rows, currency, &days, seen)))
}

/// Returns the floor of a line whose price is set by hand.
fn floor(line: &Json, currency: Currency) -> Option<Money> {
    let micros = line.get("cpmMicros").and_then(|v| v.as_str().and_then(|s| s.parse().ok()).or_else(|| v.as_i64()))?;
    let manual = line.get("cpmMode").and_then(Json::as_str) == Some("MANUAL");
    (manual && micros > 0).then(|| Money::new(currency, micros))
}

fn source(line: &Json) -> &str {
    line.get("adSourceId").and_then(Json::as_str).unwrap_or("")
}

fn is_line(row: &Row, group: &EntityItem, source: &str) -> bool {
    let [own, by] = row.cells.as_slice() else { return false };
    identity(own) == report_id(group) && identity(by) == source
}

fn table(rows: Vec<Vec<Value>>, currency: Currency, days: &str, seen: &Merged) -> Artifact {
    let column = |key: &str, label: &str, kind: ColumnKind| Column {
        key: key.to_owned(),
        label: label.to_owned(),
        kind,
        unit: (kind == ColumnKind::Money).then(|| currency.code().to_owned()),
    };
    Artifact::Table {
        title: "Floors and observed eCPM, by line".to_owned(),
        subtitle: format!("{days} · each line in its own group, format and countries"),
        table: TableArtifact {
            columns: vec![
                column("mediation_group", "Mediation group", ColumnKind::Entity),
                column("ad_source", "Ad source", ColumnKind::Text),
                column("floor", "Floor", ColumnKind::Money),
                column("impressions", "Impressions", ColumnKind::Count),
                column("ecpm", "Observed eCPM", ColumnKind::Money),
                column("proposal", "Suggested floor", ColumnKind::Money),
            ],
            row_count: u64::try_from(rows.len()).unwrap_or(u64::MAX),
            rows,
            total: None,
            sorted_by: None,
        },
        sources: seen.sources.clone(),
    }
}
