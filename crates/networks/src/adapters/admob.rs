//! Translates between AdMob's mediation groups and the standard model. AdMob orders a waterfall by price alone, so the priorities follow
//! from the prices.

use serde_json::{Map, Value as Json, json};

use super::{
    Line, MediationPlan, Price,
    fit::{Fitted, Fitting, order_by_price as order},
};

/// Reads AdMob's `MediationGroup` as a plan. Leaves removed lines out. Lines with the price mode `MANUAL` or `ANO` count as waterfall, all
/// others as bidding.
pub fn plan(group: &Json) -> MediationPlan {
    let text = |pointer: &str| group.pointer(pointer).and_then(Json::as_str).unwrap_or_default().to_owned();
    let texts = |pointer: &str| -> Vec<String> {
        let list = group.pointer(pointer).and_then(Json::as_array);
        list.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    let lines = group["mediationGroupLines"].as_object();
    let mut lines: Vec<Line> =
        lines.into_iter().flatten().filter(|(_, raw)| raw["state"] != "REMOVED").map(line).collect();
    order(&mut lines);
    MediationPlan {
        name: text("/displayName"),
        platform: text("/targeting/platform").to_lowercase(),
        format: text("/targeting/format").to_lowercase(),
        ad_units: texts("/targeting/adUnitIds"),
        included_regions: texts("/targeting/targetedRegionCodes"),
        excluded_regions: texts("/targeting/excludedRegionCodes"),
        enabled: group["state"] != "DISABLED",
        lines,
    }
}

fn line((key, raw): (&String, &Json)) -> Line {
    let text = |name: &str| raw[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let cpm_micros = raw["cpmMicros"].as_str().and_then(|n| n.parse().ok()).unwrap_or(0);
    let price = match raw["cpmMode"].as_str() {
        Some("MANUAL" | "ANO") => Price::Waterfall { priority: 0, cpm_micros },
        _ => Price::Bidding,
    };
    let mappings = raw["adUnitMappings"].as_object().into_iter().flatten();
    Line {
        id: (!key.starts_with('-')).then(|| key.clone()),
        name: text("displayName"),
        ad_source: text("adSourceId").unwrap_or_default(),
        price,
        enabled: raw["state"] != "DISABLED",
        mappings: mappings.filter_map(|(unit, name)| Some((unit.clone(), name.as_str()?.to_owned()))).collect(),
    }
}

/// Fits the plan to AdMob, which can hold several ad units and both kinds of regions, but no order other than by price.
pub fn fit(plan: &MediationPlan) -> Fitted {
    let mut fitting = Fitting::of(plan);
    fitting.order_by_price("AdMob");
    fitting.done()
}

/// Checks whether a change makes new lines. AdMob makes a line for each placeholder key every time it gets the request.
pub fn adds_lines(args: &Json) -> bool {
    let lines = args.pointer("/body/mediationGroupLines").and_then(Json::as_object);
    lines.into_iter().flatten().any(|(key, _)| key.starts_with('-'))
}

/// Writes the plan as the body of AdMob's create operation. New lines get negative placeholder IDs, as AdMob requires.
pub fn body(plan: &MediationPlan) -> Json {
    let mut targeting = json!({
        "platform": plan.platform.to_uppercase(),
        "format": plan.format.to_uppercase(),
        "adUnitIds": plan.ad_units,
    });
    for (name, regions) in
        [("targetedRegionCodes", &plan.included_regions), ("excludedRegionCodes", &plan.excluded_regions)]
    {
        if !regions.is_empty() {
            targeting[name] = json!(regions);
        }
    }
    let mut lines = Map::new();
    let mut placeholder = 0_i64;
    for line in &plan.lines {
        let key = line.id.clone().unwrap_or_else(|| {
            placeholder -= 1;
            placeholder.to_string()
        });
        let mut raw = json!({
            "id": key,
            "adSourceId": line.ad_source,
            "state": if line.enabled { "ENABLED" } else { "DISABLED" },
        });
        match line.price {
            Price::Bidding => raw["cpmMode"] = "LIVE".into(),
            Price::Waterfall { cpm_micros, .. } => {
                raw["cpmMode"] = "MANUAL".into();
                raw["cpmMicros"] = cpm_micros.to_string().into();
            }
        }
        if let Some(name) = &line.name {
            raw["displayName"] = name.as_str().into();
        }
        if !line.mappings.is_empty() {
            raw["adUnitMappings"] = json!(line.mappings);
        }
        lines.insert(key, raw);
    }
    json!({
        "displayName": plan.name,
        "state": if plan.enabled { "ENABLED" } else { "DISABLED" },
        "targeting": targeting,
        "mediationGroupLines": lines,
    })
}

#[cfg(test)]
mod tests {
    use proptest::{collection, option, prelude::*};

    use super::*;

    fn lines() -> impl Strategy<Value = Vec<Line>> {
        let line = (
            option::of("[a-zA-Z ]{1,12}[a-z]"),
            "[1-9][0-9]{2,5}",
            option::of(10_000_i64..50_000_000),
            any::<bool>(),
            collection::btree_map("ca-app-pub-[0-9]{4}/[0-9]{3}", "accounts/x/adUnitMappings/[0-9]{2}", 0..3),
            any::<bool>(),
        );
        collection::vec(line, 0..6).prop_map(|raw| {
            let mut lines: Vec<Line> = raw
                .into_iter()
                .enumerate()
                .map(|(i, (name, ad_source, cpm, enabled, mappings, known))| Line {
                    id: known.then(|| format!("{}", 1000 + i)),
                    name,
                    ad_source,
                    price: cpm.map_or(Price::Bidding, |cpm_micros| Price::Waterfall { priority: 0, cpm_micros }),
                    enabled,
                    mappings,
                })
                .collect();
            order(&mut lines);
            lines
        })
    }

    proptest! {
        #[test]
        fn a_plan_survives_the_way_to_admob_and_back(
            name in "[a-zA-Z0-9 “”]{1,20}",
            android in any::<bool>(),
            ad_units in collection::vec("ca-app-pub-[0-9]{4}/[0-9]{3}", 0..4),
            included_regions in collection::vec("[A-Z]{2}", 0..3),
            enabled in any::<bool>(),
            lines in lines(),
        ) {
            let platform = if android { "android" } else { "ios" }.to_owned();
            let plan = MediationPlan {
                name, platform, format: "rewarded_interstitial".into(), ad_units, included_regions,
                excluded_regions: Vec::new(), enabled, lines,
            };
            prop_assert_eq!(super::plan(&body(&plan)), plan);
        }
    }

    #[test]
    fn the_waterfall_is_ordered_by_price_and_removed_lines_are_gone() {
        let group = json!({"displayName": "G", "mediationGroupLines": {
            "1": {"adSourceId": "10", "cpmMode": "MANUAL", "cpmMicros": "1000000"},
            "2": {"adSourceId": "11", "cpmMode": "MANUAL", "cpmMicros": "3000000"},
            "3": {"adSourceId": "12", "cpmMode": "LIVE"},
            "4": {"adSourceId": "13", "cpmMode": "LIVE", "state": "REMOVED"}
        }});
        let plan = plan(&group);
        let sources: Vec<&str> = plan.lines.iter().map(|line| line.ad_source.as_str()).collect();
        assert_eq!(sources, ["12", "11", "10"]);
        assert_eq!(plan.lines[2].price, Price::Waterfall { priority: 2, cpm_micros: 1_000_000 });
    }
}
