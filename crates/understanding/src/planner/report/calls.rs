//! The report calls of a plan: one set per account, read side by side.

use adagent_contract::EntityItem;
use jiff::civil::Date;
use serde_json::{Value as Json, json};

use super::{
    metric::{Dim, Metric, Source},
    spec::{Period, Plan, Shape},
};
use crate::planner::Call;

/// The most rows that we ask for; this is AdMob's own limit.
const MAX_ROWS: u32 = 100_000;

/// Which part of the answer a call serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Main,
    Against,
    Detail,
}

pub(super) fn all(plan: &Plan) -> Vec<(Part, Call)> {
    let mut calls = Vec::new();
    for account in &plan.accounts {
        let mut push = |part, period: &Period, dims: &[Dim]| {
            let mut dims = dims.to_vec();
            for (dim, _) in &plan.exclude {
                if !dims.contains(dim) {
                    dims.push(*dim);
                }
            }
            calls.push((part, for_account(plan, account, period, &dims)));
        };
        match plan.shape {
            Shape::Figure => {
                // One report returns both the days and their breakdown, if there are not too many of either.
                if plan.in_one_report() {
                    push(Part::Main, &plan.window(), &[plan.grain(), plan.detail()]);
                } else {
                    push(Part::Main, &plan.window(), &[plan.grain()]);
                    push(Part::Detail, &plan.period, &[plan.detail()]);
                }
                if let Some(against) = plan.against.as_ref().filter(|_| !plan.compares_in_window()) {
                    let dims: &[Dim] = if plan.grain() == Dim::Date { &[Dim::Date] } else { &[] };
                    push(Part::Against, &against.period, dims);
                }
            }
            Shape::Series | Shape::Breakdown => {
                push(Part::Main, &plan.period, &plan.dims);
                if let Some(against) = &plan.against {
                    push(Part::Against, &against.period, &plan.dims);
                }
            }
        }
    }
    calls
}

fn for_account(plan: &Plan, account: &EntityItem, period: &Period, dims: &[Dim]) -> Call {
    let filters: Vec<(Dim, Vec<String>)> = plan
        .filters
        .iter()
        .map(|filter| {
            let here = filter.values.iter().filter(|(_, a)| a.as_ref().is_none_or(|a| *a == account.id));
            (filter.dim, here.map(|(value, _)| value.clone()).collect())
        })
        .collect();
    let mixed = plan.accounts.iter().any(|other| currency(other) != currency(account));
    let mut call = report_call(plan.source, &account.id, (period.from, period.to), dims, &plan.shown, &filters);
    if mixed && plan.source != Source::Campaign {
        // A sum needs one currency. AdMob converts if we name one.
        call.args["body"]["reportSpec"]["localizationSettings"] = json!({"currencyCode": "USD"});
    }
    call
}

fn currency(account: &EntityItem) -> Option<&str> {
    account.raw.get("currencyCode").and_then(Json::as_str)
}

/// Returns the call for one report of one account.
pub(in crate::planner) fn report_call(
    source: Source,
    account: &str,
    (from, to): (Date, Date),
    dims: &[Dim],
    metrics: &[Metric],
    filters: &[(Dim, Vec<String>)],
) -> Call {
    let mut wire: Vec<&str> = Vec::new();
    for name in metrics
        .iter()
        .flat_map(|metric| metric.base().iter().chain(std::iter::once(metric)))
        .filter_map(|metric| metric.wire(source))
    {
        if !wire.contains(&name) {
            wire.push(name);
        }
    }
    let mut dimensions: Vec<&str> = Vec::new();
    for name in dims.iter().filter_map(|dim| dim.wire(source)).flatten() {
        if !dimensions.contains(name) {
            dimensions.push(name);
        }
    }
    let mut spec = json!({
        "dateRange": {"startDate": date(from), "endDate": date(to)},
        "metrics": wire,
    });
    if !dimensions.is_empty() {
        spec["dimensions"] = json!(dimensions);
    }
    if source != Source::Campaign {
        let filters: Vec<Json> = filters
            .iter()
            .filter_map(|(dim, values)| {
                let name = dim.wire(source)?.first()?;
                Some(json!({"dimension": name, "matchesAny": {"values": values}}))
            })
            .collect();
        if !filters.is_empty() {
            spec["dimensionFilters"] = Json::Array(filters);
        }
        spec["maxReportRows"] = json!(MAX_ROWS);
    }
    Call { name: source.tool().into(), args: json!({"account_id": account, "body": {"reportSpec": spec}}) }
}

fn date(date: Date) -> Json {
    json!({"year": date.year(), "month": date.month(), "day": date.day()})
}
