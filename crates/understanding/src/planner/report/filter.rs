//! Resolves the names in a report's filters to IDs, and reads limits on the numbers of its rows. This must show the names that we found,
//! not those that the person typed.

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
                // Networks list a bidding source and a waterfall source separately. The plain name means both.
                Found::One(one) if kind == EntityKind::AdSource && names::simple(want) == names::stem(one) => {
                    candidates.iter().copied().filter(|c| names::stem(c) == names::stem(one)).collect()
                }
                Found::One(one) => vec![one],
                Found::Several(fits) => fits,
                Found::Nothing(close) => {
                    // "in Foobar" may mean a country as well as an app.
                    let vague = kind == EntityKind::App && turn.says(&[&format!("in {}", want.to_lowercase())]);
                    let what = if vague { "an app, a country or anything else" } else { what };
                    return Err(Box::new(clarify::unknown(turn, what, want, &close)));
                }
            };
            // "AppLovin bidding" means only one of the two sources that AdMob lists for AppLovin.
            let fits = if kind == EntityKind::AdSource { half_meant(turn, fits) } else { fits };
            // Show the name that we found, not the typed one: after a misspelling, the reader must see which app the numbers are for.
            words.push(match fits.as_slice() {
                [first, rest @ ..] if rest.iter().all(|other| other.name == first.name) => plain(&first.name),
                // The person means both sources of a network, so use its name without "(bidding)".
                [first, rest @ ..] if rest.iter().all(|other| names::stem(other) == names::stem(first)) => {
                    let shortest = fits.iter().map(|s| s.name.as_str()).min_by_key(|name| name.len());
                    plain(shortest.unwrap_or(want).trim_end_matches(" (bidding)"))
                }
                _ => plain(want),
            });
            // An ad source is the same in every account; other things belong to one account.
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

/// From this size on, we show a limit in the person's own digits, because a float may not hold it exactly.
const LARGEST_EXACT: f64 = 1e12;

#[derive(Debug, Clone, PartialEq)]
pub(in crate::planner) struct Threshold {
    pub metric: Metric,
    pub operator: String,
    pub limit: f64,
    /// The limit as the person wrote it, if a float may not hold it exactly.
    pub written: Option<String>,
    /// Whether the limit is the average of the rows, or for a rate the rate of all rows together.
    pub average: bool,
}

impl Threshold {
    pub fn of(metric: Metric, (operator, limit): (&String, &f64), question: &str) -> Self {
        let written = (*limit >= LARGEST_EXACT).then(|| written(question, *limit)).flatten();
        let average = [BELOW_AVERAGE, ABOVE_AVERAGE].contains(&operator.as_str());
        Self { metric, operator: operator.clone(), limit: *limit, written, average }
    }
}

/// Returns a number in the person's own digits.
fn written(question: &str, limit: f64) -> Option<String> {
    let found = crate::text::tokens(question).into_iter().find(|token| token.number().is_some_and(|n| n >= limit))?;
    question.get(found.start..found.end).map(str::to_owned)
}
