//! Translates between FairBid's placements and instances (DT Exchange) and the standard model. A placement is the group. Its instances are
//! the lines; each has a manual price, or a price that FairBid finds itself, which counts as bidding here. This module is pure.

use serde_json::{Value as Json, json};

use super::{
    Line, MediationPlan, Price, amount,
    fit::{Fitted, Fitting, order_by_price},
};

const FORMATS: [(&str, &str); 4] =
    [("banner", "Banner"), ("rewarded", "Rewarded"), ("interstitial", "Interstitial"), ("mrec", "MREC")];
const NAME: &str = "FairBid";
/// The country code of the price for every country without its own price.
const WORLD: &str = "WW";

/// A placement and its instances, which the network keeps apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Native {
    pub placement: Json,
    pub instances: Vec<Json>,
}

/// Reads a placement as a plan. `platform` is that of the app; placements do not name it.
pub fn plan(native: &Native, platform: &str) -> MediationPlan {
    let placement = &native.placement;
    let unit = crate::pipeline::plain(&placement["placementId"]).unwrap_or_default();
    let kind = placement["placementType"].as_str().unwrap_or_default();
    let targeted = placement["targetingEnabled"] == true;
    let countries = || -> Vec<String> {
        let list = placement["geo"]["countries"].as_array().filter(|_| targeted);
        list.into_iter().flatten().filter_map(Json::as_str).map(str::to_uppercase).collect()
    };
    let included = placement["geo"]["include"] != false;
    let mut lines: Vec<Line> = native.instances.iter().map(|instance| line(instance, &unit)).collect();
    order_by_price(&mut lines);
    MediationPlan {
        name: placement["name"].as_str().unwrap_or_default().to_owned(),
        platform: platform.to_owned(),
        format: FORMATS
            .iter()
            .find(|(_, wire)| *wire == kind)
            .map_or_else(|| kind.to_lowercase(), |(ours, _)| (*ours).to_owned()),
        ad_units: if unit.is_empty() { Vec::new() } else { vec![unit] },
        included_regions: if included { countries() } else { Vec::new() },
        excluded_regions: if included { Vec::new() } else { countries() },
        enabled: placement["status"] != "inactive",
        lines,
    }
}

fn line(instance: &Json, unit: &str) -> Line {
    let text = |name: &str| crate::pipeline::plain(&instance[name]).filter(|text| !text.is_empty());
    let prices = instance["cpmManualPrices"].as_array();
    let world = prices.into_iter().flatten().find(|price| price["country"] == WORLD);
    let price = match instance["cpmPriceMethod"].as_str() {
        Some("MANUAL") => {
            let cpm_micros = world.and_then(|price| amount::micros(&price["price"])).unwrap_or(0);
            Price::Waterfall { priority: 0, cpm_micros }
        }
        _ => Price::Bidding,
    };
    let there = text("instanceId").filter(|_| !unit.is_empty());
    Line {
        id: text("instanceInternalId"),
        name: text("name"),
        ad_source: text("mediatedNetworkName").unwrap_or_default(),
        price,
        enabled: instance["status"] != "inactive",
        mappings: there.map(|there| (unit.to_owned(), there)).into_iter().collect(),
    }
}

/// Fits the plan to FairBid.
pub fn fit(plan: &MediationPlan) -> Fitted {
    let mut fitting = Fitting::of(plan);
    fitting.one_ad_unit(NAME);
    fitting.one_kind_of_regions();
    fitting.plain_regions();
    if !FORMATS.iter().any(|(ours, _)| *ours == fitting.plan.format) {
        let why = format!("{NAME} has no placements of the format {}", fitting.plan.format);
        fitting.lose("format", why);
        "interstitial".clone_into(&mut fitting.plan.format);
    }
    fitting.lines(|line, lose| {
        if line.name.is_none() {
            line.name = Some(line.ad_source.clone());
            lose("name", "FairBid's instances need a name; the network's is taken");
        }
        true
    });
    fitting.order_by_price(NAME);
    fitting.done()
}

/// Writes a fitted plan as a placement and its instances.
pub fn body(plan: &MediationPlan) -> Native {
    let unit = plan.ad_units.first().map(String::as_str).unwrap_or_default();
    let state = |enabled: bool| if enabled { "active" } else { "inactive" };
    let included = plan.excluded_regions.is_empty();
    let countries = if included { &plan.included_regions } else { &plan.excluded_regions };
    let kind = FORMATS.iter().find(|(ours, _)| *ours == plan.format).map_or("Interstitial", |(_, wire)| wire);
    let placement = json!({
        "placementId": unit,
        "name": plan.name,
        "placementType": kind,
        "status": state(plan.enabled),
        "targetingEnabled": !countries.is_empty(),
        "geo": {"include": included, "countries": countries},
    });
    let instances = plan.lines.iter().map(|line| {
        let mut instance = json!({
            "name": line.name.as_deref().unwrap_or(&line.ad_source),
            "placementId": unit,
            "mediatedNetworkName": line.ad_source,
            "status": state(line.enabled),
        });
        match line.price {
            Price::Bidding => instance["cpmPriceMethod"] = "AUTO".into(),
            Price::Waterfall { cpm_micros, .. } => {
                instance["cpmPriceMethod"] = "MANUAL".into();
                instance["cpmManualPrices"] = json!([{"country": WORLD, "price": amount::number(cpm_micros)}]);
            }
        }
        if let Some(id) = &line.id {
            instance["instanceInternalId"] = id.as_str().into();
        }
        if let Some(there) = line.mappings.get(unit) {
            instance["instanceId"] = there.as_str().into();
        }
        instance
    });
    Native { instances: instances.collect(), placement }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::adapters::fit::any;

    proptest! {
        #[test]
        fn what_fits_survives_the_way_to_fairbid_and_back(asked in any::plan(&["Unity Ads", "AppLovin", "AdMob"])) {
            let fitted = fit(&asked);
            prop_assert_eq!(&plan(&body(&fitted.plan), &asked.platform), &fitted.plan);
            prop_assert_eq!(fit(&fitted.plan), Fitted { plan: fitted.plan.clone(), lost: Vec::new() });
        }
    }

    #[test]
    fn the_worlds_price_is_the_lines_and_what_fairbid_finds_is_live() {
        let native = Native {
            placement: json!({"placementId": 55, "name": "Main", "placementType": "Rewarded", "status": "active", "targetingEnabled": true, "geo": {"include": false, "countries": ["de"]}}),
            instances: vec![
                json!({"instanceInternalId": 1, "name": "A", "mediatedNetworkName": "AdMob", "cpmPriceMethod": "MANUAL", "cpmManualPrices": [{"country": "US", "price": 9}, {"country": "WW", "price": 2.25}], "instanceId": "p"}),
                json!({"instanceInternalId": 2, "name": "B", "mediatedNetworkName": "AppLovin", "cpmPriceMethod": "AUTO", "status": "inactive"}),
            ],
        };
        let plan = plan(&native, "android");
        assert_eq!((plan.lines[0].price, plan.lines[0].enabled), (Price::Bidding, false));
        assert_eq!(plan.lines[1].price, Price::Waterfall { priority: 1, cpm_micros: 2_250_000 });
        assert_eq!((plan.ad_units[0].as_str(), plan.excluded_regions[0].as_str()), ("55", "DE"));
    }

    #[test]
    fn what_is_lost_is_named() {
        let line = Line {
            id: None,
            name: None,
            ad_source: "AdMob".into(),
            price: Price::Bidding,
            enabled: true,
            mappings: [("b".into(), "x".into())].into(),
        };
        let asked = MediationPlan {
            name: "G".into(),
            platform: "ios".into(),
            format: "native".into(),
            ad_units: vec!["a".into(), "b".into()],
            included_regions: vec!["US".into()],
            excluded_regions: vec!["DE".into()],
            enabled: true,
            lines: vec![line],
        };
        let lost: Vec<String> = fit(&asked).lost.into_iter().map(|loss| loss.at).collect();
        assert_eq!(lost, ["ad_units", "lines/0/mappings", "excluded_regions", "format", "lines/0/name"]);
    }
}
