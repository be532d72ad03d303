//! Translates between Unity LevelPlay's groups and instances and the standard model. A group lists instances with their prices. An instance
//! itself says which network it uses and whether that network bids. This module is pure.

use serde_json::{Value as Json, json};

use super::{
    Line, MediationPlan, Price, amount,
    fit::{Fitted, Fitting, order_by_price},
};

const FORMATS: [&str; 4] = ["rewarded", "interstitial", "banner", "native"];
const NAME: &str = "LevelPlay";
const LONGEST_NAME: usize = 32;
/// The price range that LevelPlay accepts: 0.01 to 3000 US dollars.
const LEAST: i64 = 10_000;
const MOST: i64 = 3_000_000_000;

/// A group and its instances, which the network keeps apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Native {
    pub group: Json,
    pub instances: Vec<Json>,
}

/// Reads a group as a plan. `platform` is that of the app; groups do not name it.
pub fn plan(native: &Native, platform: &str) -> MediationPlan {
    let group = &native.group;
    let text = |name: &str| group[name].as_str().unwrap_or_default().to_owned();
    let unit = text("mediationAdUnitId");
    let texts = |name: &str| -> Vec<String> {
        let list = group[name].as_array();
        list.into_iter().flatten().filter_map(Json::as_str).map(str::to_uppercase).collect()
    };
    let mut lines: Vec<Line> = native.instances.iter().map(|instance| line(group, instance, &unit)).collect();
    order_by_price(&mut lines);
    MediationPlan {
        name: text("groupName"),
        platform: platform.to_owned(),
        format: text("adFormat"),
        ad_units: if unit.is_empty() { Vec::new() } else { vec![unit] },
        included_regions: texts("countries"),
        excluded_regions: Vec::new(),
        enabled: true,
        lines,
    }
}

fn line(group: &Json, instance: &Json, unit: &str) -> Line {
    let text = |name: &str| instance[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let id = crate::pipeline::plain(&instance["instanceId"]);
    let named = group["instances"].as_array().into_iter().flatten();
    let in_group = named.into_iter().find(|known| id.is_some() && crate::pipeline::plain(&known["id"]) == id);
    let rate =
        in_group.and_then(|known| amount::micros(&known["groupRate"])).or_else(|| amount::micros(&instance["rate"]));
    let there = text("instanceConfig1").filter(|_| !unit.is_empty());
    Line {
        id,
        name: text("instanceName"),
        ad_source: text("networkName").unwrap_or_default(),
        price: if instance["isBidder"] == true {
            Price::Bidding
        } else {
            Price::Waterfall { priority: 0, cpm_micros: rate.unwrap_or(0) }
        },
        enabled: instance["isLive"] != false,
        mappings: there.map(|there| (unit.to_owned(), there)).into_iter().collect(),
    }
}

/// Fits the plan to LevelPlay.
pub fn fit(plan: &MediationPlan) -> Fitted {
    let mut fitting = Fitting::of(plan);
    fitting.one_ad_unit(NAME);
    fitting.plain_regions();
    if !fitting.plan.excluded_regions.is_empty() {
        fitting.plan.excluded_regions.clear();
        fitting.lose("excluded_regions", "LevelPlay's groups name the countries they cover; they exclude none");
    }
    if !fitting.plan.enabled {
        fitting.plan.enabled = true;
        fitting.lose("enabled", "LevelPlay's groups cannot be paused; pause their instances or delete the group");
    }
    if !FORMATS.contains(&fitting.plan.format.as_str()) {
        let why = format!("{NAME} has no groups of the format {}", fitting.plan.format);
        fitting.lose("format", why);
        "interstitial".clone_into(&mut fitting.plan.format);
    }
    let name: String = fitting.plan.name.chars().take(LONGEST_NAME).collect();
    if name != fitting.plan.name {
        fitting.plan.name = name;
        fitting.lose("name", "LevelPlay's group names have at most 32 characters");
    }
    fitting.lines(|line, lose| {
        if line.name.is_none() {
            line.name = Some(line.ad_source.clone());
            lose("name", "LevelPlay's instances need a name; the network's is taken");
        }
        if let Price::Waterfall { cpm_micros, .. } = &mut line.price
            && !(LEAST..=MOST).contains(cpm_micros)
        {
            *cpm_micros = (*cpm_micros).clamp(LEAST, MOST);
            lose("price", "LevelPlay takes prices from 0.01 to 3000 US dollars");
        }
        true
    });
    fitting.order_by_price(NAME);
    fitting.done()
}

/// Writes a fitted plan as a group and its instances. `position` is the place of the group among the groups of its format.
pub fn body(plan: &MediationPlan, position: u32) -> Native {
    let unit = plan.ad_units.first();
    let number = |id: &String| id.parse::<u64>().map_or_else(|_| Json::from(id.as_str()), Json::from);
    let mut in_group = Vec::new();
    let mut instances = Vec::new();
    for line in &plan.lines {
        let mut instance = json!({
            "instanceName": line.name.as_deref().unwrap_or(&line.ad_source),
            "networkName": line.ad_source,
            "adFormat": plan.format,
            "isBidder": line.price == Price::Bidding,
            "isLive": line.enabled,
        });
        if let Some(there) = unit.and_then(|unit| line.mappings.get(unit)) {
            instance["instanceConfig1"] = there.as_str().into();
        }
        let rate = match line.price {
            Price::Bidding => None,
            Price::Waterfall { cpm_micros, .. } => Some(amount::number(cpm_micros)),
        };
        if let Some(rate) = &rate {
            instance["rate"] = rate.clone();
        }
        // A group cannot name a new instance before the instance exists.
        if let Some(id) = &line.id {
            instance["instanceId"] = number(id);
            let mut named = json!({"id": number(id)});
            if let Some(rate) = rate {
                named["groupRate"] = rate;
            }
            in_group.push(named);
        }
        instances.push(instance);
    }
    let mut group = json!({"groupName": plan.name, "adFormat": plan.format, "position": position, "countries": plan.included_regions, "instances": in_group});
    if let Some(unit) = unit {
        group["mediationAdUnitId"] = unit.as_str().into();
    }
    Native { group, instances }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::adapters::fit::any;

    proptest! {
        #[test]
        fn what_fits_survives_the_way_to_levelplay_and_back(asked in any::plan(&["UnityAds", "AppLovin", "AdMob"])) {
            // IDs are unique at the network.
            let mut asked = asked;
            for (i, line) in asked.lines.iter_mut().enumerate() {
                line.id = line.id.take().map(|_| (1000 + i).to_string());
            }
            let fitted = fit(&asked);
            prop_assert_eq!(&plan(&body(&fitted.plan, 1), &asked.platform), &fitted.plan);
            prop_assert_eq!(fit(&fitted.plan), Fitted { plan: fitted.plan.clone(), lost: Vec::new() });
        }
    }

    #[test]
    fn a_price_of_the_group_counts_before_the_instances_own() {
        let native = Native {
            group: json!({"groupName": "Tier 1", "adFormat": "rewarded", "mediationAdUnitId": "u1", "countries": ["us"],
                "instances": [{"id": 7, "groupRate": 12.5}, {"id": 8}]}),
            instances: vec![
                json!({"instanceId": 7, "instanceName": "Unity high", "networkName": "UnityAds", "isBidder": false, "rate": 1, "instanceConfig1": "p-7"}),
                json!({"instanceId": 8, "instanceName": "Bid", "networkName": "AppLovin", "isBidder": true, "isLive": false}),
            ],
        };
        let plan = plan(&native, "ios");
        assert_eq!(plan.lines[0].price, Price::Bidding);
        assert!(!plan.lines[0].enabled);
        assert_eq!(plan.lines[1].price, Price::Waterfall { priority: 1, cpm_micros: 12_500_000 });
        assert_eq!(
            (plan.lines[1].mappings["u1"].as_str(), plan.included_regions.as_slice()),
            ("p-7", &["US".to_owned()][..])
        );
    }

    #[test]
    fn what_is_lost_is_named() {
        let line = Line {
            id: None,
            name: None,
            ad_source: "UnityAds".into(),
            price: Price::Waterfall { priority: 1, cpm_micros: 1 },
            enabled: true,
            mappings: [].into(),
        };
        let asked = MediationPlan {
            name: "a".repeat(33),
            platform: "ios".into(),
            format: "mrec".into(),
            ad_units: vec!["a".into(), "b".into()],
            included_regions: Vec::new(),
            excluded_regions: vec!["DE".into()],
            enabled: false,
            lines: vec![line],
        };
        let lost: Vec<String> = fit(&asked).lost.into_iter().map(|loss| loss.at).collect();
        assert_eq!(
            lost,
            ["ad_units", "excluded_regions", "enabled", "format", "name", "lines/0/name", "lines/0/price"]
        );
    }
}
