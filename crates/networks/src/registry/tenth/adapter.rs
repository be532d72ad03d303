//! The mediation of the made-up network: a booth with a list of bidders. It has no fixed prices.

use serde_json::{Value as Json, json};

use crate::{
    Line, Price,
    adapters::{Fitted, MediationPlan, fit::Fitting},
};

pub fn fit(plan: &MediationPlan) -> Fitted {
    let mut fitting = Fitting::of(plan);
    fitting.one_ad_unit("Tenth Ads");
    fitting.lines(|line, lose| {
        let bids = line.price == Price::Bidding;
        if !bids {
            lose("", "Tenth Ads lets sources bid only");
        }
        bids
    });
    for (part, regions) in [("included_regions", true), ("excluded_regions", false)] {
        let list = if regions { &mut fitting.plan.included_regions } else { &mut fitting.plan.excluded_regions };
        if !std::mem::take(list).is_empty() {
            fitting.lose(part, "Tenth Ads serves every country");
        }
    }
    fitting.done()
}

pub fn native(plan: &MediationPlan) -> Json {
    let bidders = plan.lines.iter().map(|line| json!({"id": line.id, "name": line.name, "source": line.ad_source, "on": line.enabled, "there": line.mappings}));
    json!({"label": plan.name, "os": plan.platform, "shape": plan.format, "booths": plan.ad_units, "open": plan.enabled, "bidders": bidders.collect::<Vec<_>>()})
}

pub fn plan(native: &Json) -> MediationPlan {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let line = |raw: &Json| Line {
        id: raw["id"].as_str().map(str::to_owned),
        name: raw["name"].as_str().map(str::to_owned),
        ad_source: text(&raw["source"]),
        price: Price::Bidding,
        enabled: raw["on"] == true,
        mappings: raw["there"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(unit, there)| (unit.clone(), text(there)))
            .collect(),
    };
    MediationPlan {
        name: text(&native["label"]),
        platform: text(&native["os"]),
        format: text(&native["shape"]),
        ad_units: native["booths"].as_array().into_iter().flatten().map(text).collect(),
        included_regions: Vec::new(),
        excluded_regions: Vec::new(),
        enabled: native["open"] == true,
        lines: native["bidders"].as_array().into_iter().flatten().map(line).collect(),
    }
}
