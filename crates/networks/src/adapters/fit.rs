//! Fits a plan to what a network can hold. This happens before the translation, and it names everything it drops, so that people see it
//! before they approve. This module is pure and must never drop anything without a [`Loss`].

use std::fmt;

use super::{Line, MediationPlan, Price};

/// A part of a plan that a network has no place for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The place in the plan, such as `lines/2` or `excluded_regions`.
    pub at: String,
    pub why: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.why)
    }
}

/// A plan as the network can hold it, and what differs from the plan that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fitted {
    pub plan: MediationPlan,
    pub lost: Vec<Loss>,
}

/// A plan while it is being fitted. Each step records what it changes.
pub struct Fitting {
    pub plan: MediationPlan,
    lost: Vec<Loss>,
}

impl Fitting {
    pub fn of(plan: &MediationPlan) -> Self {
        Self { plan: plan.clone(), lost: Vec::new() }
    }

    pub fn lose(&mut self, at: impl Into<String>, why: impl Into<String>) {
        self.lost.push(Loss { at: at.into(), why: why.into() });
    }

    /// Keeps only the first ad unit.
    pub fn one_ad_unit(&mut self, network: &str) {
        if self.plan.ad_units.len() > 1 {
            self.plan.ad_units.truncate(1);
            self.lose("ad_units", format!("{network} keeps a separate waterfall for each ad unit"));
        }
        let kept = self.plan.ad_units.clone();
        for index in 0..self.plan.lines.len() {
            let mappings = &mut self.plan.lines[index].mappings;
            let before = mappings.len();
            mappings.retain(|unit, _| kept.contains(unit));
            if mappings.len() < before {
                self.lose(format!("lines/{index}/mappings"), "only the mapping of the group's own ad unit is kept");
            }
        }
    }

    /// Keeps only the included regions if the plan has included and excluded ones.
    pub fn one_kind_of_regions(&mut self) {
        if !self.plan.included_regions.is_empty() && !self.plan.excluded_regions.is_empty() {
            self.plan.excluded_regions.clear();
            self.lose("excluded_regions", "countries are either included or excluded; the included ones are kept");
        }
    }

    /// Writes the region codes in capitals, sorted, each once. Their order has no meaning.
    pub fn plain_regions(&mut self) {
        for regions in [&mut self.plan.included_regions, &mut self.plan.excluded_regions] {
            for region in regions.iter_mut() {
                region.make_ascii_uppercase();
            }
            regions.sort();
            regions.dedup();
        }
    }

    /// Passes each line to `change`, which may edit it and must record each loss itself. A line is dropped if `change` returns `false`.
    pub fn lines(&mut self, mut change: impl FnMut(&mut Line, &mut dyn FnMut(&str, &str)) -> bool) {
        let lines = std::mem::take(&mut self.plan.lines);
        for (index, mut line) in lines.into_iter().enumerate() {
            let mut lose = |part: &str, why: &str| {
                let at = if part.is_empty() { format!("lines/{index}") } else { format!("lines/{index}/{part}") };
                self.lost.push(Loss { at, why: why.to_owned() });
            };
            if change(&mut line, &mut lose) {
                self.plan.lines.push(line);
            }
        }
    }

    /// Puts bidding lines first and then sorts by price, highest first, as networks do that keep no other order. Records a loss if the plan
    /// had another order.
    pub fn order_by_price(&mut self, network: &str) {
        let order = |lines: &[Line]| -> Vec<Line> {
            let mut lines = lines.to_vec();
            for line in &mut lines {
                if let Price::Waterfall { priority, .. } = &mut line.price {
                    *priority = 0;
                }
            }
            lines
        };
        let before = order(&self.plan.lines);
        order_by_price(&mut self.plan.lines);
        if before != order(&self.plan.lines) {
            self.lose("lines", format!("{network} calls a waterfall by price, highest first; it keeps no other order"));
        }
    }

    pub fn done(self) -> Fitted {
        Fitted { plan: self.plan, lost: self.lost }
    }
}

/// Puts bidding lines first and then sorts by price, highest first. Lines with the same price keep their order. Numbers the priorities
/// again.
pub fn order_by_price(lines: &mut [Line]) {
    lines.sort_by_key(|line| match line.price {
        Price::Bidding => (0, 0),
        Price::Waterfall { cpm_micros, .. } => (1, cpm_micros.checked_neg().unwrap_or(i64::MAX)),
    });
    let mut next = 0;
    for line in lines {
        if let Price::Waterfall { priority, .. } = &mut line.price {
            next += 1;
            *priority = next;
        }
    }
}

/// Generates plans of every kind, for the property tests of the adapters.
#[cfg(test)]
pub mod any {
    use proptest::{collection, option, prelude::*};

    use super::{Line, MediationPlan, Price};

    fn line(sources: &'static [&'static str]) -> impl Strategy<Value = Line> {
        let price = option::of((0_u32..9, prop_oneof![Just(0_i64), 1_i64..20_000, 20_000..4_000_000_000_i64]));
        (
            option::of(100_000_u32..999_999),
            option::of("[a-zA-Z ]{1,12}[a-z]"),
            proptest::sample::select(sources),
            price,
            any::<bool>(),
            collection::btree_map("unit-[ab]", "[a-z0-9/]{1,8}", 0..3),
        )
            .prop_map(|(id, name, ad_source, price, enabled, mappings)| Line {
                id: id.map(|id| id.to_string()),
                name,
                ad_source: ad_source.to_owned(),
                price: price.map_or(Price::Bidding, |(priority, cpm_micros)| Price::Waterfall { priority, cpm_micros }),
                enabled,
                mappings,
            })
    }

    pub fn plan(sources: &'static [&'static str]) -> impl Strategy<Value = MediationPlan> {
        let formats = ["banner", "interstitial", "rewarded", "native", "mrec", "app_open", "rewarded_interstitial"];
        (
            "[a-zA-Z0-9 “”]{1,40}",
            proptest::sample::select(vec!["android", "ios"]),
            proptest::sample::select(formats.to_vec()),
            proptest::sample::subsequence(vec!["unit-a", "unit-b"], 0..=2),
            collection::vec("[A-Za-z]{2}", 0..3),
            collection::vec("[A-Z]{2}", 0..3),
            any::<bool>(),
            collection::vec(line(sources), 0..5),
        )
            .prop_map(
                |(name, platform, format, ad_units, included_regions, excluded_regions, enabled, lines)| {
                    MediationPlan {
                        name,
                        platform: platform.to_owned(),
                        format: format.to_owned(),
                        ad_units: ad_units.into_iter().map(str::to_owned).collect(),
                        included_regions,
                        excluded_regions,
                        enabled,
                        lines,
                    }
                },
            )
    }
}
