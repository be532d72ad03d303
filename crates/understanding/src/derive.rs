//! Numbers that are one arithmetic step away from a report: sums, differences, shares, changes, and rates recomputed from sums.
//!
//! This module must stay narrow: an invented number may match any pair that we allow here by chance. So we compare rows with their
//! neighbors and whole periods with each other, but not everything with everything.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::verify::ToolResult;

/// The most rows of one result that we look at. No answer adds up more by hand.
const MOST_ROWS: usize = 5_000;
/// The largest list of which we subtract every pair.
const MOST_PAIRED: usize = 12;
/// The most labels that we compare between two periods.
const MOST_MATCHED: usize = 60;

/// The numbers that an answer may state besides those in a result: amounts, percentages and counts.
#[derive(Debug, Default)]
pub(crate) struct Derived {
    pub amounts: Vec<f64>,
    pub percents: Vec<f64>,
    /// How many rows, labels, accounts and reports there are. These are never money.
    pub counts: Vec<usize>,
}

/// Sums of the columns that add up, in column order.
type Sums = Vec<f64>;

/// Reports with the same request, for one account or for several.
#[derive(Clone)]
struct Pool {
    /// The keys of the columns that add up, and whether each is money.
    columns: Vec<(String, bool)>,
    total: Sums,
    per_account: Vec<Sums>,
    /// For each dimension: its labels in the order of the report, with their sums.
    by_label: Vec<Vec<(String, Sums)>>,
}

/// Derives numbers from every report in the results.
pub(crate) fn derive(results: &[ToolResult<'_>]) -> Derived {
    // Each account alone, and all accounts together under `None`.
    let mut pools: BTreeMap<(Option<&str>, String), Pool> = BTreeMap::new();
    for result in results {
        let Some(pool) = Pool::of(result.output) else { continue };
        let shape = shape(result.arguments);
        if let Some(account) = result.arguments["account_id"].as_str() {
            pools.insert((Some(account), shape.clone()), pool.clone());
        }
        match pools.get_mut(&(None, shape.clone())) {
            Some(known) if known.columns == pool.columns => known.join(pool),
            _ => drop(pools.insert((None, shape), pool)),
        }
    }
    let mut out = Derived::default();
    out.counts.push(pools.keys().filter_map(|(account, _)| *account).collect::<std::collections::BTreeSet<_>>().len());
    let pools: Vec<_> = pools.into_iter().collect();
    for (at, ((account, _), pool)) in pools.iter().enumerate() {
        pool.derive(&mut out);
        for (_, other) in pools[at + 1..].iter().filter(|((other, _), _)| other == account) {
            if pool.columns == other.columns {
                pool.against(other, &mut out);
            }
        }
    }
    out
}

/// Returns the request without its account.
fn shape(arguments: &Value) -> String {
    let mut arguments = arguments.clone();
    if let Some(object) = arguments.as_object_mut() {
        object.remove("account_id");
    }
    arguments.to_string()
}

fn number(cell: &Value) -> Option<f64> {
    match cell["type"].as_str()? {
        "money" => cell["money"]["micros"].as_f64().map(|micros| micros / 1e6),
        "count" => cell["value"].as_f64(),
        _ => None,
    }
}

fn label(cell: &Value) -> Option<&str> {
    match cell["type"].as_str()? {
        "date" | "text" => cell["value"].as_str(),
        // For people, apps of the same name on two platforms are one app.
        "entity" => cell["name"].as_str(),
        _ => None,
    }
}

fn add(to: &mut Sums, row: &[f64]) {
    for (sum, value) in to.iter_mut().zip(row) {
        *sum += value;
    }
}

impl Pool {
    fn of(output: &Value) -> Option<Self> {
        let columns = output["columns"].as_array()?;
        let rows = output["rows"].as_array()?;
        let mut adds = Vec::new();
        let mut dimensions = Vec::new();
        for (index, column) in columns.iter().enumerate() {
            let (key, kind) = (column["key"].as_str()?, column["kind"].as_str()?);
            match kind {
                "money" if key != "ecpm" => adds.push((index, (key.to_owned(), true))),
                "count" => adds.push((index, (key.to_owned(), false))),
                "date" | "text" | "entity" => dimensions.push(index),
                _ => {}
            }
        }
        let mut total = vec![0.0; adds.len()];
        let mut by_label: Vec<Vec<(String, Sums)>> = vec![Vec::new(); dimensions.len()];
        let mut places: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new(); dimensions.len()];
        for row in rows.iter().take(MOST_ROWS) {
            let values: Sums = adds.iter().map(|(index, _)| number(&row[*index]).unwrap_or(0.0)).collect();
            add(&mut total, &values);
            for (at, index) in dimensions.iter().enumerate() {
                let Some(label) = label(&row[*index]) else { continue };
                let groups = &mut by_label[at];
                let place = *places[at].entry(label).or_insert_with(|| {
                    groups.push((label.to_owned(), vec![0.0; values.len()]));
                    groups.len() - 1
                });
                add(&mut groups[place].1, &values);
            }
        }
        let columns = adds.into_iter().map(|(_, column)| column).collect();
        Some(Self { columns, per_account: vec![total.clone()], total, by_label })
    }

    /// Adds the report of another account for the same request.
    fn join(&mut self, other: Self) {
        add(&mut self.total, &other.total);
        self.per_account.extend(other.per_account);
        for (groups, more) in self.by_label.iter_mut().zip(other.by_label) {
            for (label, sums) in more {
                match groups.iter_mut().find(|(known, _)| *known == label) {
                    Some((_, known)) => add(known, &sums),
                    None => groups.push((label, sums)),
                }
            }
        }
    }

    /// Returns the rates that follow from sums: money per thousand impressions, and the usual quotients of counts in percent.
    fn rates(&self, sums: &[f64]) -> (Vec<f64>, Vec<f64>) {
        const QUOTIENTS: [(&str, &str); 5] = [
            ("fills", "requests"),
            ("impressions", "fills"),
            ("impressions", "requests"),
            ("clicks", "impressions"),
            ("wins", "requests"),
        ];
        let value = |key: &str| self.columns.iter().position(|(known, _)| known == key).map(|at| sums[at]);
        let quotient = |a: f64, b: f64| (b != 0.0).then(|| a / b);
        let money = self.columns.iter().zip(sums).filter(|((_, money), _)| *money);
        let per_thousand = value("impressions")
            .map(|impressions| money.filter_map(|(_, sum)| quotient(sum * 1000.0, impressions)).collect())
            .unwrap_or_default();
        let percents = QUOTIENTS.iter().filter_map(|(a, b)| quotient(value(a)? * 100.0, value(b)?)).collect();
        (per_thousand, percents)
    }

    fn derive(&self, out: &mut Derived) {
        out.counts.push(self.per_account.len());
        out.counts.extend(self.by_label.iter().map(Vec::len));
        let groups = self.by_label.iter().flatten().map(|(_, sums)| sums).chain(&self.per_account);
        for sums in groups.chain([&self.total]) {
            let (amounts, percents) = self.rates(sums);
            out.amounts.extend(sums.iter().chain(&amounts));
            out.percents.extend(percents);
            // The share of the total.
            let shares =
                sums.iter().zip(&self.total).filter(|(_, all)| **all != 0.0).map(|(part, all)| part / all * 100.0);
            out.percents.extend(shares);
        }
        let labelled = self.by_label.iter().map(|groups| groups.iter().map(|(_, sums)| sums).collect::<Vec<_>>());
        for family in labelled.chain([self.per_account.iter().collect()]) {
            #[expect(clippy::cast_precision_loss, reason = "a count of rows")]
            out.amounts.extend(self.total.iter().map(|sum| sum / family.len().max(1) as f64));
            for pair in family.windows(2) {
                self.compare(pair[0], pair[1], out);
            }
            if let [first, .., last] = family.as_slice() {
                self.compare(first, last, out);
            }
            if family.len() <= MOST_PAIRED {
                for (at, one) in family.iter().enumerate() {
                    for other in &family[at + 1..] {
                        out.amounts.extend(one.iter().zip(*other).map(|(a, b)| a - b));
                    }
                }
            }
        }
    }

    /// Compares this report with the one of another period.
    fn against(&self, other: &Self, out: &mut Derived) {
        self.compare(&self.total, &other.total, out);
        for (ours, theirs) in self.by_label.iter().zip(&other.by_label) {
            for (label, sums) in ours.iter().take(MOST_MATCHED) {
                if let Some((_, matching)) = theirs.iter().find(|(known, _)| known == label) {
                    self.compare(sums, matching, out);
                }
            }
        }
    }

    /// Adds differences, and changes in percent in both directions.
    fn compare(&self, one: &[f64], other: &[f64], out: &mut Derived) {
        let mut changes = |a: f64, b: f64, amounts: &mut Vec<f64>| {
            amounts.push(a - b);
            let quotients = [(a, b), (b, a)].into_iter().filter(|(_, base)| *base != 0.0);
            out.percents.extend(quotients.map(|(now, base)| (now - base) / base * 100.0));
        };
        let ((amounts, percents), (other_amounts, other_percents)) = (self.rates(one), self.rates(other));
        for (a, b) in one.iter().zip(other).chain(amounts.iter().zip(&other_amounts)) {
            changes(*a, *b, &mut out.amounts);
        }
        // Rates also differ by percentage points.
        let points = percents.iter().zip(&other_percents).map(|(a, b)| a - b).collect::<Vec<_>>();
        out.percents.extend(&points);
        out.amounts.extend(points);
    }
}
