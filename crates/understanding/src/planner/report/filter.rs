//! What a filter of a report names, resolved to ids, and limits on the figures of its rows. Must show what was found, not what was typed.

use adagent_contract::{EntityItem, EntityKind};

use super::metric::{Dim, Metric};
use super::spec::{WireFilter, report_id};
use crate::planner::{
    Answer, clarify,
    format::{and, plain},
    names::{self, Found},
    read::Turn,
};
use crate::types::{ABOVE_AVERAGE, BELOW_AVERAGE};

fn kind_of(dim: Dim) -> Option<(EntityKind, &'static str)> {
    Some(match dim {
        Dim::App => (EntityKind::App, "an app"),
        Dim::AdUnit => (EntityKind::AdUnit, "an ad unit"),
        Dim::AdSource => (EntityKind::AdSource, "an ad source"),
        Dim::MediationGroup => (EntityKind::MediationGroup, "a mediation group"),
        _ => return None,
    })
}

fn half_meant<'e>(turn: &Turn<'_>, fits: Vec<&'e EntityItem>) -> Vec<&'e EntityItem> {
    let (bidding, waterfall) = (turn.says(&["bidding", "bidder"]), turn.says(&["waterfall"]));
    let bids = |source: &&EntityItem| source.name.to_lowercase().contains("(bidding)");
    if bidding == waterfall || fits.iter().all(bids) || !fits.iter().any(bids) {
        return fits;
    }
    fits.into_iter().filter(|source| bids(source) == bidding).collect()
}

pub(super) fn in_filter(turn: &Turn<'_>, dim: Dim, wanted: &[String]) -> Result<WireFilter, Box<Answer>> {
    let mut values: Vec<(String, Option<String>)> = Vec::new();
    let mut words = Vec::new();
    for want in wanted {
        if let Some((kind, what)) = kind_of(dim) {
            let candidates: Vec<&EntityItem> = turn.of_kind(kind).collect();
            let fits = match names::find(&candidates, want) {
                // Networks list a bidding and a waterfall source apart; the plain name means both.
                Found::One(one) if kind == EntityKind::AdSource && names::simple(want) == names::stem(one) => {
                    candidates.iter().copied().filter(|c| names::stem(c) == names::stem(one)).collect()
                }
                Found::One(one) => vec![one],
                Found::Several(fits) => fits,
                Found::Nothing(close) => {
                    // "in Foobar" may have meant a country as well as an app.
                    let vague = kind == EntityKind::App && turn.says(&[&format!("in {}", want.to_lowercase())]);
                    let what = if vague { "an app, a country or anything else" } else { what };
                    return Err(Box::new(clarify::unknown(turn, what, want, &close)));
                }
            };
            // "AppLovin bidding" is one half of what AdMob lists for AppLovin.
            let fits = if kind == EntityKind::AdSource { half_meant(turn, fits) } else { fits };
            // What was found, not what was typed: a misspelled name must show which app the figures are of.
            words.push(match fits.as_slice() {
                [first, rest @ ..] if rest.iter().all(|other| other.name == first.name) => plain(&first.name),
                // Both halves of a network: its name without what kind of source it is.
                [first, rest @ ..] if rest.iter().all(|other| names::stem(other) == names::stem(first)) => {
                    let shortest = fits.iter().map(|s| s.name.as_str()).min_by_key(|name| name.len());
                    plain(shortest.unwrap_or(want).trim_end_matches(" (bidding)"))
                }
                _ => plain(want),
            });
            // An ad source is the same one in every account; the others lie in one.
            let placed = kind != EntityKind::AdSource;
            for item in fits {
                let value = (report_id(item), item.account.clone().filter(|_| placed));
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        } else {
            words.push(match dim {
                Dim::Platform => names::platform_label(want).to_owned(),
                Dim::Country => names::country_label(want),
                Dim::Format => names::format_label(want).to_lowercase(),
                _ => plain(want),
            });
            let wire = match dim {
                Dim::Platform | Dim::Format | Dim::Country => want.to_uppercase(),
                _ => want.clone(),
            };
            values.push((wire, None));
        }
    }
    Ok(WireFilter { dim, values, words: and(&words) })
}

/// From here on a float has no room for cents.
const LARGEST_EXACT: f64 = 1e12;

#[derive(Debug, Clone, PartialEq)]
pub(in crate::planner) struct Threshold {
    pub metric: Metric,
    pub operator: String,
    pub limit: f64,
    /// As it was written, where it is larger than a float can hold exactly.
    pub written: Option<String>,
    /// The limit is the average of the rows, or the rate of all of them together.
    pub average: bool,
}

impl Threshold {
    pub fn of(metric: Metric, (operator, limit): (&String, &f64), question: &str) -> Self {
        let written = (*limit >= LARGEST_EXACT).then(|| written(question, *limit)).flatten();
        let average = [BELOW_AVERAGE, ABOVE_AVERAGE].contains(&operator.as_str());
        Self { metric, operator: operator.clone(), limit: *limit, written, average }
    }
}

/// A number in the person's own digits.
fn written(question: &str, limit: f64) -> Option<String> {
    let found = crate::text::tokens(question).into_iter().find(|token| token.number().is_some_and(|n| n >= limit))?;
    question.get(found.start..found.end).map(str::to_owned)
}
