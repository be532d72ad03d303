//! Converts a network's report into our words: one name per column, one spelling for countries, formats and platforms, the network as a
//! column, and only the rows that count. This must never change a number.

use adagent_contract::{Column, ColumnKind, EntityKind, ReportData, Value};
use adagent_domain::Network;

use super::{Keep, Line, Reading};
use crate::planner::{
    desks::{self, Desk},
    names,
    read::Turn,
    report::{
        metric::Dim,
        spec::{Period, Plan},
    },
};

pub(super) fn report(
    turn: &Turn<'_>,
    plan: &Plan,
    (reading, line): (&Reading, &Line),
    (period, repeated): (&Period, &[(Network, &'static str)]),
    report: ReportData,
) -> Result<ReportData, String> {
    let desk = reading.desk;
    let mut dims: Vec<Dim> = plan.dims.clone();
    dims.extend([plan.grain(), plan.detail(), Dim::Network, Dim::Account]);
    dims.extend(plan.filters.iter().map(|filter| filter.dim));
    dims.extend(plan.exclude.iter().map(|(dim, _)| *dim));
    let mut kept: Vec<(Dim, Option<usize>)> = Vec::new();
    for dim in dims {
        // A week comes from the same column as a day, and a quarter from the same as a month, so we keep that column once.
        if kept.iter().any(|(other, _)| other.column() == dim.column()) {
            continue;
        }
        let at = desk.split(dim).and_then(|split| report.column(split.column));
        if matches!(dim, Dim::Network | Dim::Account) || at.is_some() {
            kept.push((dim, at));
        }
    }
    let restricts = plan.filters.iter().map(|filter| filter.dim).chain(plan.exclude.iter().map(|(dim, _)| *dim));
    let mut told = restricts.filter(|dim| !desk.filters.contains(dim));
    if let Some(dim) =
        told.find(|dim| !report.rows.is_empty() && !kept.iter().any(|(own, at)| own == dim && at.is_some()))
    {
        return Err(format!("its report doesn't list {} separately", dim.plural()));
    }
    let source = matches!(reading.keep, Keep::Demand { .. }).then(|| report.column("ad_source")).flatten();
    if matches!(reading.keep, Keep::Demand { .. }) && source.is_none() && !report.rows.is_empty() {
        return Err("its report doesn't list ad sources separately".to_owned());
    }
    let measures: Vec<usize> = (0..report.columns.len()).filter(|at| Measure::of(&report.columns[*at])).collect();
    let day = desk.split(Dim::Date).and_then(|split| report.column(split.column));
    let mut rows = Vec::with_capacity(report.rows.len());
    for row in &report.rows {
        // A saved report may hold more days than the question asks for.
        if !within(period, day.and_then(|at| row.get(at))) {
            continue;
        }
        let Some(network) = counted_for(reading, repeated, source.and_then(|at| row.get(at))) else { continue };
        let cells: Vec<Value> = kept
            .iter()
            .map(|(dim, at)| match at.and_then(|at| row.get(at)) {
                _ if *dim == Dim::Network => network.clone(),
                _ if *dim == Dim::Account => account(line, &network),
                Some(value) => spelled(turn, plan, desk, *dim, value),
                None => Value::Missing,
            })
            .collect();
        if passes(plan, &kept, &cells) {
            rows.push(cells.into_iter().chain(measures.iter().map(|at| row[*at].clone())).collect());
        }
    }
    let columns = kept.iter().map(|(dim, _)| Column {
        key: dim.column().to_owned(),
        label: dim.label().to_owned(),
        kind: if dim.is_time() { ColumnKind::Date } else { ColumnKind::Entity },
        unit: None,
    });
    let columns = columns.chain(measures.iter().map(|at| report.columns[*at].clone())).collect();
    let mut warnings = report.warnings;
    if plan.networks.len() > 1 {
        for warning in &mut warnings {
            *warning = format!("{}: {warning}", line.called());
        }
    }
    Ok(ReportData { columns, rows, warnings, ..report })
}

/// Checks whether the question asks for the row's day. A report without days counts as a whole.
fn within(period: &Period, day: Option<&Value>) -> bool {
    let day = day.map(Value::raw).and_then(|text| text.parse::<jiff::civil::Date>().ok());
    day.is_none_or(|day| period.from <= day && day <= period.to)
}

struct Measure;

impl Measure {
    fn of(column: &Column) -> bool {
        matches!(column.kind, ColumnKind::Money | ColumnKind::Count | ColumnKind::Percent | ColumnKind::Number)
    }
}

/// Returns the network that a row counts for. `None` if the row doesn't count. `repeated`: demand whose own network reports the same money.
fn counted_for(reading: &Reading, repeated: &[(Network, &'static str)], source: Option<&Value>) -> Option<Value> {
    let desk = reading.desk;
    let Keep::Demand { own, others, counted } = &reading.keep else {
        // If we take all rows of a mediator's report, they have the mediator's own name. Otherwise its own demand is one row among others.
        let name = if desk.mediates { desk.label } else { desk.network.display_name() };
        return Some(Value::Entity { id: desk.network.id().to_owned(), name: name.to_owned() });
    };
    let network =
        |network: Network| Value::Entity { id: network.id().to_owned(), name: desks::own_demand(network).to_owned() };
    let name = source.map(Value::raw).unwrap_or_default();
    match desks::of_demand(&name) {
        Some(demand) if demand == desk.network => own.then(|| network(demand)),
        Some(demand) if counted.contains(&demand) => None,
        Some(_) if desks::brand_of(&name).is_some_and(|brand| repeated.contains(&brand)) => None,
        _ if *others => {
            let plain = source_name(&name).replace(" (bidding)", "").replace(" (SDK)", "");
            let plain = if plain.is_empty() { "Unnamed source".to_owned() } else { plain };
            Some(Value::Entity {
                id: format!("{}:{}", desk.network.id(), names::simple(&plain)),
                name: format!("{plain} via {}", desks::mediation(desk)),
            })
        }
        _ => None,
    }
}

/// Returns the account that a row counts for. What another network earned in this one's mediation stays with that network.
fn account(line: &Line, counted: &Value) -> Value {
    match (counted, &line.way) {
        (Value::Entity { id, .. }, Some(label)) if id == line.network.id() => {
            Value::Entity { id: format!("{id}:{label}"), name: line.called() }
        }
        _ => counted.clone(),
    }
}

/// Returns a value in the spelling that all networks share.
fn spelled(turn: &Turn<'_>, plan: &Plan, desk: &Desk, dim: Dim, value: &Value) -> Value {
    let (id, name) = match value {
        Value::Entity { id, name } => (id.clone(), name.clone()),
        other => (other.raw(), other.raw()),
    };
    match dim {
        Dim::Date | Dim::Week => value.clone(),
        Dim::Month | Dim::Quarter => Value::Date { value: id.get(..7).unwrap_or(&id).to_owned() },
        Dim::Country => {
            let code = id.to_uppercase();
            Value::Entity { name: names::country_label(&code), id: code }
        }
        Dim::Platform => {
            let lower = id.to_lowercase();
            let known = if lower.contains("ios") {
                "ios"
            } else if lower.contains("android") {
                "android"
            } else {
                &lower
            };
            Value::Entity { id: known.to_owned(), name: names::platform_label(known).to_owned() }
        }
        Dim::Format => {
            let known = desk.format_of(&id).map_or_else(|| id.to_lowercase(), str::to_owned);
            Value::Entity { name: names::format_label(&known), id: known }
        }
        Dim::App | Dim::AdUnit => {
            let kind = if dim == Dim::App { EntityKind::App } else { EntityKind::AdUnit };
            let known = turn.entities.iter().find(|e| e.network == desk.network && e.kind == kind && e.id == id);
            let name = if name == id { known.map_or(name, |item| item.name.clone()) } else { name };
            // An app has a different ID in each network, but the same name.
            let shared = dim == Dim::App && plan.networks.len() > 1;
            Value::Entity { id: if shared { names::simple(&name) } else { id }, name }
        }
        Dim::AdSource => Value::Entity { name: source_name(&name), id },
        _ => Value::Entity { id, name },
    }
}

/// Turns `APPLOVIN_EXCHANGE` into "AppLovin exchange".
fn source_name(name: &str) -> String {
    let Some((first, rest)) = name.split_once('_').filter(|_| !name.contains(|c: char| c.is_lowercase())) else {
        return name.to_owned();
    };
    let rest = rest.to_lowercase().replace('_', " ");
    match desks::of_demand(name) {
        Some(network) => format!("{} {rest}", network.display_name()),
        None => format!("{} {rest}", names::format_label(first)),
    }
}

fn passes(plan: &Plan, kept: &[(Dim, Option<usize>)], cells: &[Value]) -> bool {
    let cell = |dim: Dim| kept.iter().position(|(own, _)| *own == dim).and_then(|at| cells.get(at));
    let is = |cell: &Value, wanted: &str| match cell {
        Value::Entity { id, name } => id.eq_ignore_ascii_case(wanted) || names::simple(name) == names::simple(wanted),
        other => other.raw().eq_ignore_ascii_case(wanted),
    };
    plan.filters
        .iter()
        .all(|filter| cell(filter.dim).is_none_or(|own| filter.values.iter().any(|(wanted, _)| is(own, wanted))))
        && plan
            .exclude
            .iter()
            .all(|(dim, values)| cell(*dim).is_none_or(|own| !values.iter().any(|wanted| is(own, wanted))))
}
