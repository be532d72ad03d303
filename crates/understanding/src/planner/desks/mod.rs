//! What we can ask each network's report, as tables: the operation, its names for metrics, breakdowns, days and filters, and how many days
//! one call covers. This must never hold a number from a report and never plan: `report` does that.

mod admanager;
mod admob;
mod applovin;
mod dtexchange;
mod inmobi;
mod liftoff;
mod mintegral;
mod pangle;
mod unity;

use adagent_domain::Network;
use jiff::civil::Date;
use serde_json::Value as Json;

use super::report::metric::{Dim, Metric};

pub(super) use admanager::{covers as saved_covers, definition as report_definition};

/// A breakdown: what we ask for, and the column of the normalized report that it comes back in.
#[derive(Debug)]
pub(super) struct Split {
    pub dim: Dim,
    pub wire: &'static [&'static str],
    pub column: &'static str,
}

const fn split(dim: Dim, wire: &'static [&'static str], column: &'static str) -> Split {
    Split { dim, wire, column }
}

/// One report operation of a network.
#[derive(Debug)]
pub(super) struct Desk {
    pub network: Network,
    pub tool: &'static str,
    /// The name of the report: the network's name, or another one if it is not simply the network's report.
    pub label: &'static str,
    pub metrics: &'static [(Metric, &'static str)],
    pub splits: &'static [Split],
    /// Breakdowns that the operation itself can filter by. We filter all others here.
    pub filters: &'static [Dim],
    /// Formats: the network's word and ours.
    pub formats: &'static [(&'static str, &'static str)],
    /// The most days that one call covers.
    pub days_a_call: Option<i32>,
    /// How many days before today the report reaches.
    pub days_back: Option<i32>,
    /// Whether the report also shows what other networks earn in this one's mediation.
    pub mediates: bool,
    pub args: fn(&Ask<'_>) -> Json,
}

/// What one call asks for, in the network's words.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub account: &'a str,
    pub from: Date,
    pub to: Date,
    pub metrics: Vec<&'static str>,
    pub splits: Vec<&'static str>,
    pub filters: &'a [(Dim, Vec<String>)],
    /// The currency that our sums need, if the network converts.
    pub currency: Option<&'static str>,
}

impl Ask<'_> {
    /// Returns the values to which this breakdown is restricted, in our words.
    fn only(&self, dim: Dim) -> Option<&[String]> {
        self.filters.iter().find(|(own, _)| *own == dim).map(|(_, values)| values.as_slice())
    }
}

impl Desk {
    pub fn split(&self, dim: Dim) -> Option<&'static Split> {
        let dim = match dim {
            // We add weeks, months and quarters up from days.
            Dim::Week | Dim::Month | Dim::Quarter => Dim::Date,
            other => other,
        };
        self.splits.iter().find(|split| split.dim == dim)
    }

    pub fn splits_by(&self, dim: Dim) -> bool {
        dim == Dim::Network || self.split(dim).is_some()
    }

    /// Checks whether the report has everything that the metric is computed from.
    pub fn measures(&self, metric: Metric) -> bool {
        metric.base().iter().all(|base| self.wire(*base).is_some())
    }

    pub fn wire(&self, metric: Metric) -> Option<&'static str> {
        self.metrics.iter().find(|(own, _)| *own == metric).map(|(_, wire)| *wire)
    }

    /// Returns the network's words for a format.
    pub fn format_wires(&self, ours: &str) -> Vec<&'static str> {
        self.formats.iter().filter(|(_, own)| *own == ours).map(|(wire, _)| *wire).collect()
    }

    pub fn format_of(&self, wire: &str) -> Option<&'static str> {
        self.formats.iter().find(|(own, _)| own.eq_ignore_ascii_case(wire)).map(|(_, ours)| *ours)
    }
}

/// Returns the reports of a network, the usual one first.
pub(super) const fn of(network: Network) -> &'static [Desk] {
    match network {
        Network::AdMob => &admob::DESKS,
        Network::AdManager => &admanager::DESKS,
        Network::AppLovin => &applovin::DESKS,
        Network::Unity => &unity::DESKS,
        Network::Mintegral => &mintegral::DESKS,
        Network::Liftoff => &liftoff::DESKS,
        Network::InMobi => &inmobi::DESKS,
        Network::Pangle => &pangle::DESKS,
        Network::DtExchange => &dtexchange::DESKS,
    }
}

/// Checks whether the network's reports hold only what it mediates itself. Then none of them shows what it earns in other networks'
/// mediation.
pub(super) fn only_mediates(network: Network) -> bool {
    // AdMob's report includes its own demand, wherever it is sold.
    network != Network::AdMob && of(network).iter().all(|desk| desk.mediates)
}

/// Returns the name of a network's own demand, for a row next to rows of what it earns in other networks' mediation.
pub(super) const fn own_demand(network: Network) -> &'static str {
    match network {
        Network::AdMob => "AdMob Network",
        Network::Unity => "Unity LevelPlay",
        Network::DtExchange => "DT FairBid",
        other => other.display_name(),
    }
}

/// Returns the name of the mediation that a report covers: "AdMob mediation", "Unity LevelPlay".
pub(super) fn mediation(desk: &Desk) -> String {
    if desk.label == desk.network.display_name() { format!("{} mediation", desk.label) } else { desk.label.to_owned() }
}

/// Returns our word for a network's format, or the network's own word in lower case if we have none.
pub(super) fn format_word(network: Network, wire: &str) -> String {
    let known = of(network).iter().find_map(|desk| desk.format_of(wire));
    known.map_or_else(|| wire.to_lowercase(), str::to_owned)
}

/// Returns which of the nine networks a demand source belongs to.
pub(super) fn of_demand(source: &str) -> Option<Network> {
    brand_of(source).map(|(network, _)| network)
}

/// Like [`of_demand`], but also returns the brand under which that network sells: ironSource and Unity Ads are two brands of Unity.
pub(super) fn brand_of(source: &str) -> Option<(Network, &'static str)> {
    const STARTS: [(&str, Network); 18] = [
        ("admob", Network::AdMob),
        ("google admob", Network::AdMob),
        ("google bidding", Network::AdMob),
        ("google ad manager", Network::AdManager),
        ("applovin", Network::AppLovin),
        ("unity", Network::Unity),
        ("ironsource", Network::Unity),
        ("mintegral", Network::Mintegral),
        ("liftoff", Network::Liftoff),
        ("vungle", Network::Liftoff),
        ("inmobi", Network::InMobi),
        ("pangle", Network::Pangle),
        ("tiktok", Network::Pangle),
        ("dt exchange", Network::DtExchange),
        ("dtexchange", Network::DtExchange),
        ("digital turbine", Network::DtExchange),
        ("fyber", Network::DtExchange),
        ("fairbid", Network::DtExchange),
    ];
    let name = super::names::simple(&source.replace('_', " "));
    STARTS.iter().find(|(start, _)| name.starts_with(start)).map(|(start, network)| (*network, *start))
}

/// Returns a day such as `2026-11-20`.
fn day(date: Date) -> Json {
    date.to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_network_has_a_report_with_money_and_days() {
        for network in Network::ALL {
            for desk in of(network) {
                assert!(desk.network == network && desk.tool.starts_with(network.id()), "{desk:?}");
                assert!(desk.measures(Metric::Ecpm) && desk.splits_by(Dim::Week), "{}", desk.tool);
                assert!(desk.splits_by(Dim::App) && desk.splits_by(Dim::Country), "{}", desk.tool);
                assert!(desk.filters.iter().all(|dim| desk.split(*dim).is_some()), "{}", desk.tool);
                assert!(!desk.mediates || desk.splits_by(Dim::AdSource), "{}", desk.tool);
            }
        }
    }

    #[test]
    fn demand_sources_are_known_under_the_names_mediators_give_them() {
        for (name, network) in [
            ("AdMob Network", Some(Network::AdMob)),
            ("ADMOB_BIDDING", Some(Network::AdMob)),
            ("InMobi (SDK) (bidding)", Some(Network::InMobi)),
            ("UnityAds", Some(Network::Unity)),
            ("ironSource Ads", Some(Network::Unity)),
            ("APPLOVIN_EXCHANGE", Some(Network::AppLovin)),
            ("VUNGLE_BIDDING", Some(Network::Liftoff)),
            ("Meta Audience Network", None),
        ] {
            assert_eq!(of_demand(name), network, "{name}");
        }
    }
}
