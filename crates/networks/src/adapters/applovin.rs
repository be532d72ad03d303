//! Translates between AppLovin MAX ad units and the standard model. The ad unit is the group: it holds its networks and their placements,
//! which AppLovin calls by price. Whether a network bids is part of its name. This module is pure.

use serde_json::{Map, Value as Json, json};

use super::{
    Line, MediationPlan, Price, amount,
    fit::{Fitted, Fitting, order_by_price},
};

const FORMATS: [(&str, &str); 5] =
    [("interstitial", "INTER"), ("banner", "BANNER"), ("rewarded", "REWARD"), ("mrec", "MREC"), ("native", "NATIVE")];
const NAME: &str = "AppLovin";

fn bids(source: &str) -> bool {
    source.ends_with("_BIDDING") || source.ends_with("_BIDDER")
}

/// Reads an ad unit (with `ad_network_settings`) as a plan.
pub fn plan(unit: &Json) -> MediationPlan {
    let text = |name: &str| unit[name].as_str().unwrap_or_default().to_owned();
    let id = text("id");
    let settings = unit["ad_network_settings"].as_array();
    let networks = settings.into_iter().flatten().filter_map(Json::as_object).flatten();
    let mut lines = Vec::new();
    let mut rules: Vec<&Json> = Vec::new();
    for (source, network) in networks {
        for placement in network["ad_network_ad_units"].as_array().into_iter().flatten() {
            rules.push(&placement["countries"]);
            lines.push(line(source, network, placement, &id));
        }
    }
    order_by_price(&mut lines);
    // Each placement has its own countries. Only a rule that all placements share is a rule of the group.
    let shared =
        rules.split_first().filter(|(first, rest)| rest.iter().all(|rule| rule == *first)).map(|(first, _)| *first);
    let regions = |kind: &str| -> Vec<String> {
        let rule = shared.filter(|rule| rule["type"] == kind);
        let values = rule.and_then(|rule| rule["values"].as_array());
        values.into_iter().flatten().filter_map(Json::as_str).map(str::to_uppercase).collect()
    };
    let format = text("ad_format");
    MediationPlan {
        name: text("name"),
        platform: text("platform"),
        format: FORMATS
            .iter()
            .find(|(_, wire)| *wire == format)
            .map_or_else(|| format.to_lowercase(), |(ours, _)| (*ours).to_owned()),
        ad_units: if id.is_empty() { Vec::new() } else { vec![id] },
        included_regions: regions("INCLUDE"),
        excluded_regions: regions("EXCLUDE"),
        enabled: unit["disabled"] != true,
        lines,
    }
}

fn line(source: &str, network: &Json, placement: &Json, unit: &str) -> Line {
    let price = if bids(source) {
        Price::Bidding
    } else {
        Price::Waterfall { priority: 0, cpm_micros: amount::micros(&placement["cpm"]).unwrap_or(0) }
    };
    let there = placement["ad_network_ad_unit_id"].as_str().filter(|there| !there.is_empty());
    Line {
        id: None,
        name: None,
        ad_source: source.to_owned(),
        price,
        enabled: network["disabled"] != true && placement["disabled"] != true,
        mappings: there.map(|there| (unit.to_owned(), there.to_owned())).into_iter().collect(),
    }
}

/// Fits the plan to AppLovin.
pub fn fit(plan: &MediationPlan) -> Fitted {
    let mut fitting = Fitting::of(plan);
    fitting.one_ad_unit(NAME);
    fitting.one_kind_of_regions();
    fitting.plain_regions();
    if !FORMATS.iter().any(|(ours, _)| *ours == fitting.plan.format) {
        let why = format!("{NAME} has no ad units of the format {}", fitting.plan.format);
        fitting.lose("format", why);
        "interstitial".clone_into(&mut fitting.plan.format);
    }
    fitting.lines(|line, lose| {
        if line.id.take().is_some() {
            lose("id", "AppLovin knows a line by its network and placement only");
        }
        if line.name.take().is_some() {
            lose("name", "AppLovin gives lines no names");
        }
        let price = if bids(&line.ad_source) {
            Price::Bidding
        } else {
            match line.price {
                Price::Bidding => Price::Waterfall { priority: 0, cpm_micros: 0 },
                waterfall @ Price::Waterfall { .. } => waterfall,
            }
        };
        if (price == Price::Bidding) != (line.price == Price::Bidding) {
            lose("price", "at AppLovin the network's name says whether it bids");
        }
        line.price = price;
        true
    });
    fitting.order_by_price(NAME);
    let plan = &fitting.plan;
    if plan.lines.is_empty() && !(plan.included_regions.is_empty() && plan.excluded_regions.is_empty()) {
        fitting.plan.included_regions.clear();
        fitting.plan.excluded_regions.clear();
        fitting.lose("regions", "AppLovin keeps countries with each placement, and there is none");
    }
    fitting.done()
}

/// Writes a fitted plan as the mediation fields of an ad unit. The other fields of the ad unit stay as they were read.
pub fn body(plan: &MediationPlan) -> Json {
    let id = plan.ad_units.first().map(String::as_str).unwrap_or_default();
    let rule = |kind: &str, regions: &[String]| json!({"type": kind, "values": regions});
    let countries = match (plan.included_regions.as_slice(), plan.excluded_regions.as_slice()) {
        ([], []) => None,
        ([], excluded) => Some(rule("EXCLUDE", excluded)),
        (included, _) => Some(rule("INCLUDE", included)),
    };
    let settings = plan.lines.iter().map(|line| {
        let cpm = match line.price {
            Price::Bidding => 0,
            Price::Waterfall { cpm_micros, .. } => cpm_micros,
        };
        let mut placement = Map::new();
        if let Some(there) = line.mappings.get(id) {
            placement.insert("ad_network_ad_unit_id".into(), there.as_str().into());
        }
        placement.insert("disabled".into(), (!line.enabled).into());
        placement.insert("cpm".into(), amount::text(cpm).into());
        if let Some(rule) = &countries {
            placement.insert("countries".into(), rule.clone());
        }
        json!({line.ad_source.as_str(): {"disabled": false, "ad_network_ad_units": [placement]}})
    });
    let format = FORMATS.iter().find(|(ours, _)| *ours == plan.format).map_or("INTER", |(_, wire)| wire);
    json!({
        "id": id,
        "name": plan.name,
        "platform": plan.platform,
        "ad_format": format,
        "disabled": !plan.enabled,
        "ad_network_settings": settings.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::adapters::fit::any;

    const SOURCES: &[&str] = &["ADMOB_BIDDING", "UNITY_NETWORK", "MINTEGRAL_BIDDING", "APPLOVIN_NETWORK"];

    proptest! {
        #[test]
        fn what_fits_survives_the_way_to_applovin_and_back(asked in any::plan(SOURCES)) {
            let fitted = fit(&asked);
            prop_assert_eq!(&plan(&body(&fitted.plan)), &fitted.plan);
            prop_assert_eq!(fit(&fitted.plan), Fitted { plan: fitted.plan.clone(), lost: Vec::new() });
            // A different plan always comes with a loss.
            prop_assert!(!fitted.lost.is_empty() || same(&asked, &fitted.plan), "{:?}", fitted);
        }
    }

    /// Compares the plans, ignoring the spelling of countries and the numbers of priorities, which follow from the price.
    fn same(asked: &MediationPlan, fitted: &MediationPlan) -> bool {
        let mut plain = Fitting::of(asked);
        plain.plain_regions();
        plain.order_by_price(NAME);
        plain.done() == Fitted { plan: fitted.clone(), lost: Vec::new() }
    }

    #[test]
    fn an_ad_unit_as_it_is_read_becomes_a_plan() {
        let unit = json!({"id": "0123456789abcdef", "name": "Rewarded", "platform": "android", "ad_format": "REWARD", "ad_network_settings": [
            {"ADMOB_BIDDING": {"disabled": false, "ad_network_ad_units": [{"ad_network_ad_unit_id": "ca-1", "cpm": "0"}]}},
            {"UNITY_NETWORK": {"disabled": true, "ad_network_ad_units": [{"ad_network_ad_unit_id": "low", "cpm": "1.50"}, {"ad_network_ad_unit_id": "high", "cpm": "12"}]}},
        ]});
        let plan = plan(&unit);
        let shown: Vec<_> = plan.lines.iter().map(|line| (line.ad_source.as_str(), line.price, line.enabled)).collect();
        assert_eq!(
            shown,
            [
                ("ADMOB_BIDDING", Price::Bidding, true),
                ("UNITY_NETWORK", Price::Waterfall { priority: 1, cpm_micros: 12_000_000 }, false),
                ("UNITY_NETWORK", Price::Waterfall { priority: 2, cpm_micros: 1_500_000 }, false),
            ]
        );
        assert_eq!((plan.format.as_str(), plan.lines[1].mappings["0123456789abcdef"].as_str()), ("rewarded", "high"));
    }

    #[test]
    fn what_is_lost_is_named() {
        let asked = MediationPlan {
            name: "G".into(),
            platform: "ios".into(),
            format: "app_open".into(),
            ad_units: vec!["a".into(), "b".into()],
            included_regions: vec!["US".into()],
            excluded_regions: vec!["DE".into()],
            enabled: true,
            lines: vec![Line {
                id: Some("7".into()),
                name: Some("Top".into()),
                ad_source: "UNITY_NETWORK".into(),
                price: Price::Bidding,
                enabled: true,
                mappings: [].into(),
            }],
        };
        let lost: Vec<String> = fit(&asked).lost.into_iter().map(|loss| loss.at).collect();
        assert_eq!(lost, ["ad_units", "excluded_regions", "format", "lines/0/id", "lines/0/name", "lines/0/price"]);
    }
}
