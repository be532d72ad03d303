//! Adds up reports of several accounts exactly: integers stay integers, and rates come from sums. This must never average a rate.

use std::collections::HashMap;

use adagent_contract::{EntityItem, EntityKind, ReportData, Value};
use adagent_domain::{Currency, ToolCallId};
use jiff::civil::Date;

use super::metric::{Dim, Metric};
use crate::planner::{
    names,
    read::{Fetched, Turn},
};

/// The sums of one row. A metric is `None` until a report returns it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::planner) struct Sums {
    pub revenue: Option<i128>,
    pub cost: Option<i128>,
    pub impressions: Option<i128>,
    pub clicks: Option<i128>,
    pub requests: Option<i128>,
    pub fills: Option<i128>,
    pub installs: Option<i128>,
    pub interactions: Option<i128>,
    pub views: Option<i128>,
    pub completes: Option<i128>,
    /// Latency times matched requests, and those requests. AdMob sends an average per row, and only this product can be added.
    latency: Option<(f64, f64)>,
}

impl Sums {
    pub fn add(&mut self, other: &Self) {
        fn plus(into: &mut Option<i128>, more: Option<i128>) {
            if let Some(more) = more {
                *into = Some(into.unwrap_or(0) + more);
            }
        }
        plus(&mut self.revenue, other.revenue);
        plus(&mut self.cost, other.cost);
        plus(&mut self.impressions, other.impressions);
        plus(&mut self.clicks, other.clicks);
        plus(&mut self.requests, other.requests);
        plus(&mut self.fills, other.fills);
        plus(&mut self.installs, other.installs);
        plus(&mut self.interactions, other.interactions);
        plus(&mut self.views, other.views);
        plus(&mut self.completes, other.completes);
        if let Some((sum, weight)) = other.latency {
            let (s, w) = self.latency.unwrap_or((0.0, 0.0));
            self.latency = Some((s + sum, w + weight));
        }
    }

    pub fn latency(&self) -> Option<f64> {
        self.latency.filter(|(_, weight)| *weight > 0.0).map(|(sum, weight)| sum / weight)
    }

    #[expect(clippy::cast_precision_loss, reason = "a weight needs no more than 53 bits")]
    fn read(report: &ReportData, row: &[Value]) -> Self {
        let cell = |key: &str| report.column(key).and_then(|at| row.get(at));
        let count = |metric: Metric| match cell(metric.key()) {
            Some(Value::Count { value }) => Some(i128::from(*value)),
            _ => None,
        };
        let money = |metric: Metric| match cell(metric.key()) {
            Some(Value::Money { money }) => Some(i128::from(money.micros)),
            _ => None,
        };
        let fills = count(Metric::Fills);
        let latency = cell(Metric::Latency.key()).and_then(Value::as_f64);
        Self {
            revenue: money(Metric::Revenue),
            cost: money(Metric::Cost),
            impressions: count(Metric::Impressions),
            clicks: count(Metric::Clicks),
            requests: count(Metric::Requests),
            fills,
            installs: count(Metric::Installs),
            interactions: count(Metric::Interactions),
            views: count(Metric::Views),
            completes: count(Metric::Completes),
            latency: latency.map(|value| {
                let weight = fills.map_or(1.0, |f| f as f64);
                (value * weight, weight)
            }),
        }
    }
}

/// One combination of dimension values.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::planner) struct Row {
    pub cells: Vec<Value>,
    pub sums: Sums,
}

/// Merged rows, and what they were made from.
#[derive(Debug, Clone, Default)]
pub(in crate::planner) struct Merged {
    pub rows: Vec<Row>,
    pub sources: Vec<ToolCallId>,
    pub warnings: Vec<String>,
    pub time_zones: Vec<String>,
    pub currencies: Vec<Currency>,
    pub truncated: bool,
    /// How many report rows we read, before merging.
    pub read: usize,
}

/// Values that no row may have: a dimension, and the wire values or names to leave out.
pub(in crate::planner) type Excluded<'a> = [(Dim, Vec<String>)];

impl Merged {
    /// Adds up the rows of all reports by the given dimensions.
    pub fn of(reports: &[Fetched], dims: &[Dim], exclude: &Excluded<'_>, within: Option<(Date, Date)>) -> Self {
        let mut merged = Self::default();
        let mut index: HashMap<Vec<String>, usize> = HashMap::new();
        for Fetched { source, report } in reports {
            merged.take_notes(*source, report);
            for row in &report.rows {
                let left_out = exclude.iter().any(|(dim, values)| {
                    cell(report, row, *dim).is_some_and(|c| values.iter().any(|value| names(&c, value)))
                });
                if left_out || !inside(report, row, within) {
                    continue;
                }
                merged.read += 1;
                let cells: Vec<Value> =
                    dims.iter().map(|dim| cell(report, row, *dim).unwrap_or(Value::Missing)).collect();
                let key: Vec<String> = cells.iter().map(identity).collect();
                let sums = Sums::read(report, row);
                if let Some(&at) = index.get(&key) {
                    merged.rows[at].sums.add(&sums);
                } else {
                    index.insert(key, merged.rows.len());
                    merged.rows.push(Row { cells, sums });
                }
            }
        }
        merged
    }

    fn take_notes(&mut self, source: ToolCallId, report: &ReportData) {
        if !self.sources.contains(&source) {
            self.sources.push(source);
        }
        for warning in &report.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
        if let Some(zone) = &report.time_zone
            && !self.time_zones.contains(zone)
        {
            self.time_zones.push(zone.clone());
        }
        if let Some(currency) = report.currency.clone().and_then(|code| Currency::try_from(code).ok())
            && !self.currencies.contains(&currency)
        {
            self.currencies.push(currency);
        }
        self.truncated |= report.truncated;
    }

    /// Adds a detail to things that share a name. It takes the first of these that distinguishes them: app, platform, both, account, ID.
    pub fn tell_apart(mut self, turn: &Turn<'_>) -> Self {
        let columns = self.rows.first().map_or(0, |row| row.cells.len());
        for at in 0..columns {
            let mut ids: HashMap<String, Vec<String>> = HashMap::new();
            for row in &self.rows {
                if let Some(Value::Entity { id, name }) = row.cells.get(at) {
                    let known = ids.entry(name.clone()).or_default();
                    if !known.contains(id) {
                        known.push(id.clone());
                    }
                }
            }
            let more: HashMap<&String, String> =
                ids.values().filter(|ids| ids.len() > 1).flat_map(|ids| ids.iter().zip(apart(turn, ids))).collect();
            for row in &mut self.rows {
                if let Some(Value::Entity { id, name }) = row.cells.get_mut(at)
                    && let Some(more) = more.get(id)
                {
                    *name = format!("{name} ({more})");
                }
            }
        }
        self
    }

    pub fn total(&self) -> Sums {
        let mut total = Sums::default();
        for row in &self.rows {
            total.add(&row.sums);
        }
        total
    }

    pub fn currency(&self) -> Currency {
        self.currencies.first().copied().unwrap_or(Currency::USD)
    }
}

/// Returns the detail that we add to a thing's name.
type Teller<'a> = dyn Fn(&EntityItem) -> Option<String> + 'a;

/// Returns a detail for each thing of one name. Returns nothing if we know none of them.
fn apart(turn: &Turn<'_>, ids: &[String]) -> Vec<String> {
    let items: Vec<Option<&EntityItem>> = ids.iter().map(|id| known(turn, id)).collect();
    if items.iter().all(Option::is_none) {
        return Vec::new();
    }
    let app = |item: &EntityItem| {
        let app = item.parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id))?;
        Some(app.name.clone())
    };
    let platform = |item: &EntityItem| {
        let app = item.parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id));
        let platform = item.platform.as_deref().or_else(|| app?.platform.as_deref())?;
        Some(names::platform_label(platform).to_owned())
    };
    let both = |item: &EntityItem| Some(format!("{} {}", app(item)?, platform(item)?));
    let account = |item: &EntityItem| {
        let account = item.account.as_deref()?;
        Some(turn.entity(EntityKind::Account, account).map_or_else(|| account.to_owned(), |own| own.name.clone()))
    };
    let tellers: [&Teller<'_>; 4] = [&app, &platform, &both, &account];
    for tells in tellers {
        let labels: Option<Vec<String>> = items.iter().map(|item| item.and_then(tells)).collect();
        if let Some(labels) = labels
            && labels.iter().collect::<std::collections::BTreeSet<_>>().len() == labels.len()
        {
            return labels;
        }
    }
    ids.to_vec()
}

/// Finds a thing by its ID. Reports may also name an app by its package or its number in a store.
fn known<'t>(turn: &'t Turn<'_>, id: &str) -> Option<&'t EntityItem> {
    let also = |item: &&EntityItem| {
        let fields = item.raw.as_object().filter(|_| item.kind == EntityKind::App);
        fields.is_some_and(|fields| fields.values().any(|value| value.as_str() == Some(id)))
    };
    turn.entities.iter().find(|item| item.id == id).or_else(|| turn.entities.iter().find(also))
}

pub(super) fn told_apart_by(turn: &Turn<'_>, item: &EntityItem) -> Option<String> {
    if let Some(platform) = &item.platform {
        return Some(names::platform_label(platform).to_owned());
    }
    let parent = item.parent.as_deref().and_then(|id| turn.entity(EntityKind::App, id));
    if let Some(app) = parent {
        let platform = app.platform.as_deref().map(|p| format!(" {}", names::platform_label(p))).unwrap_or_default();
        return Some(format!("{}{platform}", app.name));
    }
    let account = item.account.as_deref()?;
    Some(turn.entity(EntityKind::Account, account).map_or_else(|| account.to_owned(), |a| a.name.clone()))
}

/// Returns what makes two cells the same: the ID of an entity, not its name.
pub(in crate::planner) fn identity(cell: &Value) -> String {
    match cell {
        Value::Entity { id, .. } => id.clone(),
        other => other.raw(),
    }
}

fn names(cell: &Value, wanted: &str) -> bool {
    match cell {
        Value::Entity { id, name } => id.eq_ignore_ascii_case(wanted) || name.eq_ignore_ascii_case(wanted),
        other => other.raw().eq_ignore_ascii_case(wanted),
    }
}

fn inside(report: &ReportData, row: &[Value], within: Option<(Date, Date)>) -> bool {
    let Some((from, to)) = within else { return true };
    match report.column("date").and_then(|at| row.get(at)) {
        Some(Value::Date { value }) => value.parse::<Date>().is_ok_and(|day| from <= day && day <= to),
        _ => true,
    }
}

fn cell(report: &ReportData, row: &[Value], dim: Dim) -> Option<Value> {
    let value = report.column(dim.column()).and_then(|at| row.get(at)).cloned()?;
    Some(match (dim, value) {
        (Dim::Week, Value::Date { value }) => Value::Date { value: monday(&value).unwrap_or(value) },
        (Dim::Quarter, Value::Date { value }) => Value::Text { value: quarter(&value).unwrap_or(value) },
        (Dim::Campaign, value) => {
            let name = report.column("campaign_name").and_then(|at| row.get(at)).map(Value::raw);
            match name {
                Some(name) if !name.is_empty() => Value::Entity { id: identity(&value), name },
                _ => value,
            }
        }
        (_, value) => value,
    })
}

/// Returns the Monday of a day's week.
fn monday(day: &str) -> Option<String> {
    let day: Date = day.parse().ok()?;
    let back = i64::from(day.weekday().to_monday_zero_offset());
    Some(day.saturating_sub(jiff::Span::new().days(back)).to_string())
}

/// Turns `2026-08` or `2026-08-01` into `2026 Q3`.
fn quarter(month: &str) -> Option<String> {
    let (year, rest) = month.split_once('-')?;
    let number: u32 = rest.get(..2)?.parse().ok()?;
    Some(format!("{year} Q{}", number.checked_sub(1)? / 3 + 1))
}
