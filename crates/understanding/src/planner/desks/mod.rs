//! What the report of each network can be asked, as tables: which operation, how metrics, breakdowns, days and filters are called
//! there, how many days one call covers. Must never hold a figure, and never plan: that is for `report`.

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

/// A breakdown: what has to be asked for, and the column of the normalised report it comes back in.
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
    /// What it is called where it is not simply the network's report.
    pub label: &'static str,
    pub metrics: &'static [(Metric, &'static str)],
    pub splits: &'static [Split],
    /// Breakdowns the operation restricts by itself; all others are kept or left out here.
    pub filters: &'static [Dim],
    /// Formats by the network's word and the desk's.
    pub formats: &'static [(&'static str, &'static str)],
    /// Days one call covers at most.
    pub days_a_call: Option<i32>,
    /// How many days before today it reaches.
    pub days_back: Option<i32>,
    /// Whether it also shows what other networks earn in this one's mediation.
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
    /// The currency sums need, where the network converts.
    pub currency: Option<&'static str>,
}

impl Ask<'_> {
    /// The values a breakdown is restricted to, as the desk knows them.
    fn only(&self, dim: Dim) -> Option<&[String]> {
        self.filters.iter().find(|(own, _)| *own == dim).map(|(_, values)| values.as_slice())
    }
}

impl Desk {
    pub fn split(&self, dim: Dim) -> Option<&'static Split> {
        let dim = match dim {
            // Weeks, months and quarters are made of days.
            Dim::Week | Dim::Month | Dim::Quarter => Dim::Date,
            other => other,
        };
        self.splits.iter().find(|split| split.dim == dim)
    }

    pub fn splits_by(&self, dim: Dim) -> bool {
        dim == Dim::Network || self.split(dim).is_some()
    }

    /// Whether everything the metric is made of is there.
    pub fn measures(&self, metric: Metric) -> bool {
        metric.base().iter().all(|base| self.wire(*base).is_some())
    }

    pub fn wire(&self, metric: Metric) -> Option<&'static str> {
        self.metrics.iter().find(|(own, _)| *own == metric).map(|(_, wire)| *wire)
    }

    /// The network's words for a format.
    pub fn format_wires(&self, ours: &str) -> Vec<&'static str> {
        self.formats.iter().filter(|(_, own)| *own == ours).map(|(wire, _)| *wire).collect()
    }

    pub fn format_of(&self, wire: &str) -> Option<&'static str> {
        self.formats.iter().find(|(own, _)| own.eq_ignore_ascii_case(wire)).map(|(_, ours)| *ours)
    }
}

/// The reports of a network, the usual one first.
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

/// Whether its reports hold only what it mediates itself, so that what it earns in the mediation of others is in none of them.
pub(super) fn only_mediates(network: Network) -> bool {
    // AdMob's report has its own demand wherever that is sold.
    network != Network::AdMob && of(network).iter().all(|desk| desk.mediates)
}

/// What a row of a network counts beside rows of what others earn in its mediation: its own demand.
pub(super) const fn own_demand(network: Network) -> &'static str {
    match network {
        Network::AdMob => "AdMob Network",
        Network::Unity => "Unity LevelPlay",
        Network::DtExchange => "DT FairBid",
        other => other.display_name(),
    }
}

/// The mediation a report is of: "AdMob mediation", "Unity LevelPlay".
pub(super) fn mediation(desk: &Desk) -> String {
    if desk.label == desk.network.display_name() { format!("{} mediation", desk.label) } else { desk.label.to_owned() }
}

/// The desk's word for a network's format; the network's own where it has another.
pub(super) fn format_word(network: Network, wire: &str) -> String {
    let known = of(network).iter().find_map(|desk| desk.format_of(wire));
    known.map_or_else(|| wire.to_lowercase(), str::to_owned)
}

/// The one of the nine networks that a demand source belongs to.
pub(super) fn of_demand(source: &str) -> Option<Network> {
    brand_of(source).map(|(network, _)| network)
}

/// The same, with the name under which that network sells there: ironSource is not Unity Ads, though both are Unity's.
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

/// `2026-11-20`.
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
