//! Decides whether a network's report and a mediator's row for that network are the same money. The reports of Unity and DT Exchange are
//! reports of their own mediation. If such a report shows other networks' ads, it is about separate mediation, and no mediator's row
//! repeats it. If it shows only the network's own ads, it mediates nothing: other mediators sold those ads, and they estimate them once
//! more.
//!
//! This must never treat two amounts as the same money if they can't be: a mediator's estimate must not be more than [`MOST_TIMES`] times
//! the network's own number.

use adagent_contract::{ReportData, Value};
use adagent_domain::Network;

use crate::planner::desks::{self, Desk};

/// A mediator's estimate may be higher than the network's own number, but by no more than this factor.
const MOST_TIMES: i128 = 2;

/// A report as the network sent it.
pub(super) struct Sent<'a> {
    pub desk: &'static Desk,
    pub report: &'a ReportData,
}

/// Returns the brands whose demand mediators' reports repeat, each with its network.
pub(super) fn brands(sent: &[Sent<'_>]) -> Vec<(Network, &'static str)> {
    let mut out = Vec::new();
    for network in Network::ALL.into_iter().filter(|network| desks::only_mediates(*network)) {
        let own: Vec<Demand> =
            sent.iter().filter(|one| one.desk.network == network).flat_map(|one| demands(one)).collect();
        if own.iter().any(|demand| demand.of.is_none_or(|(whose, _)| whose != network)) {
            continue;
        }
        let theirs: Vec<Demand> = sent
            .iter()
            .filter(|one| one.desk.network != network && one.desk.mediates)
            .flat_map(|one| demands(one))
            .collect();
        let mut names: Vec<&'static str> = own.iter().filter_map(|demand| Some(demand.of?.1)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let of = |demands: &[Demand]| -> i128 {
                demands.iter().filter(|demand| demand.of == Some((network, name))).map(|demand| demand.size).sum()
            };
            let (own, theirs) = (of(&own), of(&theirs));
            if own > 0 && theirs > 0 && theirs <= own * MOST_TIMES {
                out.push((network, name));
            }
        }
    }
    out
}

/// Whose ads a row shows, and how many. A row without any says nothing.
struct Demand {
    of: Option<(Network, &'static str)>,
    size: i128,
}

fn demands(sent: &Sent<'_>) -> Vec<Demand> {
    let report = sent.report;
    let Some(source) = report.column("ad_source") else { return Vec::new() };
    // Prefer impressions, because they have no currency.
    let Some(size) = report.column("impressions").or_else(|| report.column("revenue")) else { return Vec::new() };
    let of = |row: &Vec<Value>| {
        let size = match row.get(size)? {
            Value::Count { value } => i128::from(*value),
            Value::Money { money } => i128::from(money.micros),
            _ => return None,
        };
        let of = desks::brand_of(&row.get(source)?.raw());
        Some(Demand { of, size }).filter(|demand| demand.size > 0)
    };
    report.rows.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Column, ColumnKind};

    use super::*;

    fn report(rows: &[(&str, i64)]) -> ReportData {
        let column = |key: &str, kind| Column { key: key.to_owned(), label: key.to_owned(), kind, unit: None };
        ReportData {
            columns: vec![column("ad_source", ColumnKind::Entity), column("impressions", ColumnKind::Count)],
            row_count: rows.len() as u64,
            rows: rows
                .iter()
                .map(|(name, value)| {
                    vec![
                        Value::Entity { id: (*name).to_owned(), name: (*name).to_owned() },
                        Value::Count { value: *value },
                    ]
                })
                .collect(),
            truncated: false,
            currency: None,
            time_zone: None,
            date_from: String::new(),
            date_to: String::new(),
            account: None,
            warnings: Vec::new(),
        }
    }

    fn same(unity: &[(&str, i64)], admob: &[(&str, i64)]) -> Vec<(Network, &'static str)> {
        let (unity, admob) = (report(unity), report(admob));
        let of = |network: Network| &desks::of(network)[0];
        brands(&[Sent { desk: of(Network::Unity), report: &unity }, Sent { desk: of(Network::AdMob), report: &admob }])
    }

    #[test]
    fn a_report_of_own_ads_alone_is_what_the_mediator_estimates() {
        let admob = [("AdMob Network", 900), ("Unity Ads", 40), ("Unity Ads (bidding)", 60), ("ironSource Ads", 30)];
        // LevelPlay shows no ironSource ads here, so AdMob's row for them repeats nothing.
        assert_eq!(same(&[("UnityAds", 99)], &admob), [(Network::Unity, "unity")]);
        assert_eq!(same(&[("UnityAds", 99), ("ironSource", 29)], &admob).len(), 2);
    }

    #[test]
    fn a_mediation_of_its_own_repeats_nothing() {
        assert_eq!(same(&[("UnityAds", 99), ("Mintegral", 5)], &[("Unity Ads", 100)]), []);
        assert_eq!(same(&[("UnityAds", 99), ("Meta", 5)], &[("Unity Ads", 100)]), []);
        // A source without a single impression does not count as mediated.
        assert_eq!(same(&[("UnityAds", 99), ("Mintegral", 0)], &[("Unity Ads", 100)]).len(), 1);
    }

    #[test]
    fn what_is_far_more_is_other_money() {
        assert_eq!(same(&[("UnityAds", 10)], &[("Unity Ads", 1_000)]), []);
        assert_eq!(same(&[("UnityAds", 10)], &[("AdMob Network", 1_000)]), []);
    }
}
