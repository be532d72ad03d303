//! Reads the slots of a question for a report: metrics, dimensions, periods, filters, limits.
//!
//! This module reads one text only. `history` decides what a follow-up takes from the turns before.

mod cohorts;
mod comparing;
mod dimensions;
mod filters;
mod limits;
mod metrics;
mod names;
mod order;
mod taken_out;
mod thresholds;

use adagent_domain::Network;
use jiff::civil::Date;

use crate::dates::{self, CompareRef, Period, Span};
use crate::link::Linked;
use crate::text::Token;
use crate::types::{BELOW_AVERAGE, Filter, FilterValue};

pub(crate) use comparing::{FloorLimit, floor_limit, is_rate};
pub use filters::{country_at, set_filter};
pub(crate) use limits::one_of_those;
pub(crate) use order::{moved, moves};
pub(crate) use taken_out::{network_taken_out, split_taken_out, takes_out};

/// What one text says by itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawSlots {
    pub metrics: Vec<&'static str>,
    pub dimensions: Vec<&'static str>,
    pub period: Option<Period>,
    pub compare: Option<CompareRef>,
    pub limit: Option<u32>,
    /// The place in the order that the text asks for. The limit is then one.
    pub rank: Option<u32>,
    /// Largest first (`true`) or smallest first (`false`).
    pub descending: Option<bool>,
    pub filters: Vec<Filter>,
    /// A verb such as "earn" or "drop" asks for numbers without naming a metric.
    pub money_verb: bool,
    /// A report whose columns nobody can choose.
    pub fixed: bool,
}

impl RawSlots {
    pub fn is_empty(&self) -> bool {
        self.metrics.is_empty()
            && self.dimensions.is_empty()
            && self.period.is_none()
            && self.compare.is_none()
            && self.limit.is_none()
            && self.filters.is_empty()
    }
}

/// What the slot filler may look at besides the tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub text: &'a str,
    pub tokens: &'a [Token],
    pub today: Date,
    /// Names of known entities in the text.
    pub linked: &'a [Linked],
    /// Networks that the text asks, without its demand sources.
    pub services: &'a [Network],
    /// Token ranges of network names.
    pub network_tokens: &'a [(usize, usize)],
    /// Networks that the text names as demand sources.
    pub sources: &'a [&'static str],
    /// How many of the networks the text itself names.
    pub named: usize,
}

impl Scope<'_> {
    pub(crate) fn in_network(&self, at: usize) -> bool {
        self.network_tokens.iter().any(|(a, b)| (*a..*b).contains(&at))
    }
}

/// Reads "revenue so far" and "what is our eCPM right now" as today, up to now.
fn so_far(scope: &Scope<'_>) -> Option<Period> {
    let at =
        scope.tokens.windows(2).position(|w| w[0].is("so") && w[1].is("far") || w[0].is("right") && w[1].is("now"))?;
    Some(Period { span: Span::day(scope.today), unit: dates::Unit::Day, edge: dates::Edge::Whole, at, len: 1 })
}

/// Reads the slots of a text.
pub(crate) fn read(scope: &Scope<'_>) -> RawSlots {
    let named = dates::named_periods(scope.tokens, scope.today);
    let meant: Vec<Period> = named.iter().filter(|p| p.edge != dates::Edge::TakenBack).copied().collect();
    let (period, compare) = dates::comparison(scope.tokens, &meant, scope.today);
    let taken = |at: usize| named.iter().any(|p| (p.at..p.end()).contains(&at));
    let (thresholds, threshold_tokens) = thresholds::read(scope, &taken);
    let (metrics, money_verb) = metrics::read(scope, &thresholds);
    let period = period.or_else(|| (!metrics.is_empty() && compare.is_none()).then(|| so_far(scope)).flatten());
    let (limit, descending, limit_tokens) = limits::read(scope, &taken, &threshold_tokens);
    let mut dimensions = dimensions::read(scope, &taken, &limit_tokens);
    // "country with revenue below average" needs a row for each country, so that the limit can apply.
    if let Some(of) = thresholds::limited(scope.tokens).filter(|_| !thresholds.is_empty() && dimensions.is_empty()) {
        dimensions.push(of);
    }
    let rank = limits::rank(scope, &taken);
    if let Some(dimension) = rank.and_then(|rank| rank.dimension).filter(|dim| !dimensions.contains(dim)) {
        dimensions.push(dimension);
    }
    let (limit, descending) = rank.map_or((limit, descending), |rank| (Some(1), Some(rank.descending)));
    let rank = rank.and_then(|rank| rank.place);
    let descending = order::first(scope.tokens).or(descending);
    // "below average" looks for the lowest values.
    let below = thresholds.iter().any(|(_, limits)| limits.contains_key(BELOW_AVERAGE));
    let descending = descending.or(below.then_some(false));
    // "what fell" is about apps, if the text names nothing else.
    let moved = moved(scope.tokens).is_some();
    let money_verb = money_verb || moved;
    if moved && dimensions.is_empty() {
        dimensions.push("app");
    }
    let mut filters = filters::read(scope, &taken, &mut dimensions);
    for (metric, comparison) in thresholds {
        match filters.iter_mut().find(|f| f.field == metric) {
            Some(Filter { value: FilterValue::Compare(map), .. }) => map.extend(comparison),
            _ => filters.push(Filter { field: metric.to_owned(), value: FilterValue::Compare(comparison) }),
        }
    }
    let mut slots =
        RawSlots { metrics, dimensions, period, compare, limit, rank, descending, filters, money_verb, fixed: false };
    cohorts::settle(scope, &mut slots);
    limits::rank_sources(scope, &mut slots);
    slots
}
