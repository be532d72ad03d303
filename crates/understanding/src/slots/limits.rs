//! Reads how many rows the text wants, and which end of the list.

use super::{RawSlots, Scope};
use crate::text::{Kind, Token};
use crate::vocab::dimensions::DIMENSIONS;
use crate::vocab::metrics::METRICS;

pub(super) const BEST: &[&str] =
    &["top", "best", "biggest", "largest", "highest", "strongest", "greatest", "leading", "most"];
pub(super) const WORST: &[&str] = &["bottom", "worst", "lowest", "smallest", "weakest", "least", "poorest", "flop"];

pub(super) fn is_superlative(token: &Token) -> bool {
    token.any(BEST) || token.any(WORST)
}

/// Sorts ad sources by what they pay if the text names no metric to rank them by: "weakest ad source".
pub(super) fn rank_sources(scope: &Scope<'_>, slots: &mut RawSlots) {
    let tokens = scope.tokens;
    let between = |t: &Token| t.any(super::dimensions::RANKING) || t.any(&["ad", "demand", "mediation", "bidding"]);
    let found = (0..tokens.len()).filter(|at| is_superlative(&tokens[*at])).find_map(|at| {
        let end = at + 1 + tokens[at + 1..].iter().take_while(|t| between(t)).count();
        tokens.get(end).filter(|t| t.is("source")).map(|source| (at, source))
    });
    let Some((at, source)) = found else { return };
    if slots.metrics.is_empty() {
        slots.metrics.push("ecpm");
    }
    if !slots.dimensions.contains(&"ad_source") {
        slots.dimensions.push("ad_source");
    }
    slots.descending = slots.descending.or(Some(!tokens[at].any(WORST)));
    if slots.limit.is_none() && source.norm == source.stem {
        slots.limit = Some(1);
    }
}

fn count(token: &Token) -> Option<u32> {
    let n = token.number()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded before")]
    let whole = if n.fract() == 0.0 && (1.0..=1000.0).contains(&n) { n as u32 } else { return None };
    Some(whole)
}

/// One row by its place: "the 3rd best app", "highest revenue day".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rank {
    /// `None` for the first place, because a limit of one row already means it.
    pub place: Option<u32>,
    pub descending: bool,
    /// The ranked dimension, if it comes right after the place.
    pub dimension: Option<&'static str>,
    pub at: usize,
    pub end: usize,
}

/// Returns a place in an order: "second", "3rd".
fn place(token: &Token) -> Option<u32> {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let word = token.norm.as_str();
    if let Some(at) = WORDS.iter().position(|w| *w == word) {
        return u32::try_from(at + 1).ok();
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|s| word.strip_suffix(s))?;
    digits.parse().ok().filter(|n| (1..=1000).contains(n))
}

/// A row of a list shown before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Nth(usize),
    Last,
}

impl Shown {
    pub(crate) fn of(self, rows: &[String]) -> Option<&String> {
        match self {
            Self::Nth(at) => rows.get(at),
            Self::Last => rows.last(),
        }
    }
}

/// Returns which of the rows shown before the text means: "the best one", "the second app".
pub(crate) fn one_of_those(tokens: &[Token], dimension: &str) -> Option<Shown> {
    (0..tokens.len()).find_map(|at| {
        let token = &tokens[at];
        let shown = match place(token) {
            Some(place) => Shown::Nth(usize::try_from(place).ok()?.checked_sub(1)?),
            None if token.any(&["last"]) || token.any(WORST) => Shown::Last,
            None if token.any(BEST) => Shown::Nth(0),
            None => return None,
        };
        let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|next| next.any(BEST)));
        let led = at > 0 && tokens[at - 1].any(&["the", "that", "this"]);
        let one = tokens.get(next).is_some_and(|next| next.is("one") && next.norm == "one");
        let same = DIMENSIONS
            .at(tokens, next)
            .is_some_and(|(dim, len)| dim == dimension && tokens[next + len - 1].norm == tokens[next + len - 1].stem);
        // "by country for the best": nothing more follows.
        let ends = tokens.get(next).is_none_or(|next| matches!(next.kind, Kind::Punct(_)));
        let of = at > 1 && tokens[at - 2].any(&["for", "of", "in"]);
        (led && (one || same || ends && of)).then_some(shown)
    })
}

/// Returns the place that the text asks for.
pub(super) fn rank(scope: &Scope<'_>, in_period: &dyn Fn(usize) -> bool) -> Option<Rank> {
    let tokens = scope.tokens;
    let word = |at: usize| tokens.get(at).filter(|t| t.kind == Kind::Word && !in_period(at));
    (0..tokens.len()).find_map(|at| {
        let place = word(at).and_then(place);
        let mut next = at + usize::from(place.is_some());
        next += usize::from(place.is_some() && tokens.get(next).is_some_and(|t| t.is_punct('-')));
        let size = word(next).filter(|t| is_superlative(t));
        if let Some(size) = size {
            let descending = !size.any(WORST);
            let mut end = next + 1;
            end += usize::from(word(end).is_some_and(|t| t.any(super::dimensions::RANKING)));
            let figure = METRICS.at(tokens, end).map_or(0, |(_, len)| len);
            end += figure;
            // "3rd most profitable app"
            let adjective =
                usize::from(figure == 0 && DIMENSIONS.at(tokens, end).is_none() && size.any(&["most", "least"]));
            let found = DIMENSIONS.at(tokens, end + adjective);
            let singular = found.is_some_and(|(_, len)| {
                let last = &tokens[end + adjective + len - 1];
                last.norm == last.stem
            });
            if place.is_none() && (figure == 0 || !singular) {
                return None;
            }
            let dimension = found.map(|(dim, _)| dim);
            let end = found.map_or(end, |(_, len)| end + adjective + len);
            return Some(Rank { place, descending, dimension, at, end });
        }
        // "third place app", "runner-up country"
        let up = word(at)
            .is_some_and(|t| t.is("runner"))
            .then(|| at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is_punct('-'))));
        let placed = word(next).is_some_and(|t| t.any(&["place", "placed", "ranked", "position"])).then_some(next);
        if let Some(last) = place.and(placed).or(up.filter(|i| word(*i).is_some_and(|t| t.is("up")))) {
            let found = DIMENSIONS.at(tokens, last + 1);
            return Some(Rank {
                place: place.or(Some(2)),
                descending: true,
                dimension: found.map(|(dim, _)| dim),
                at,
                end: last + 1 + found.map_or(0, |(_, len)| len),
            });
        }
        // "which app is second by revenue"
        if let Some(n) = place.filter(|_| {
            at >= 2
                && tokens[at - 1].any(&["is", "was", "came", "ranks", "ranked", "finished"])
                && tokens[..at].iter().any(|t| t.any(&["which", "what"]))
                && !tokens.get(at + 1).is_some_and(|t| DIMENSIONS.at(tokens, at + 1).is_some() && !t.is("by"))
        }) {
            return Some(Rank { place: Some(n), descending: true, dimension: None, at, end: at + 1 });
        }
        // "the 3rd app by revenue"
        let (dimension, len) = DIMENSIONS.at(tokens, next).filter(|_| place.is_some())?;
        let by = word(next + len).is_some_and(|t| t.is("by")) && METRICS.at(tokens, next + len + 1).is_some();
        by.then_some(Rank { place, descending: true, dimension: Some(dimension), at, end: next + len })
    })
}

/// Returns the limit, the direction, and the tokens that said so.
pub(super) fn read(
    scope: &Scope<'_>,
    in_period: &dyn Fn(usize) -> bool,
    used: &[usize],
) -> (Option<u32>, Option<bool>, Vec<usize>) {
    let tokens = scope.tokens;
    let free = |at: usize| {
        at < tokens.len()
            && !in_period(at)
            && !used.contains(&at)
            && matches!(tokens[at].kind, Kind::Word | Kind::Number(_))
    };
    let followed_by_time = |at: usize| {
        tokens
            .get(at + 1)
            .is_some_and(|t| t.any(&["day", "week", "month", "year", "hour", "quarter", "second", "minute"]))
    };
    for at in 0..tokens.len() {
        if !free(at) {
            continue;
        }
        let token = &tokens[at];
        let direction = if token.any(BEST) || token.norm == "first" {
            Some(true)
        } else if token.any(WORST) {
            Some(false)
        } else {
            None
        };
        if let Some(direction) = direction {
            let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.is_punct('-')));
            // "top-3" lists three; "top -3" can list nothing.
            let negative = next > at + 1 && tokens[at].end < tokens[at + 1].start;
            if free(next)
                && !followed_by_time(next)
                && let Some(n) = count(&tokens[next])
            {
                if negative {
                    return (None, Some(direction), vec![at, at + 1, next]);
                }
                return (Some(n), Some(direction), vec![at, next]);
            }
            // "lowest earning 10 ad units"
            if tokens.get(at + 1).is_some_and(|t| t.any(super::dimensions::RANKING))
                && free(at + 2)
                && !followed_by_time(at + 2)
                && let Some(n) = count(&tokens[at + 2])
            {
                return (Some(n), Some(direction), vec![at, at + 1, at + 2]);
            }
            // "ten biggest", "three best apps"
            if at > 0
                && free(at - 1)
                && let Some(n) = count(&tokens[at - 1])
                && token.norm != "first"
                && token.norm != "most"
            {
                return (Some(n), Some(direction), vec![at - 1, at]);
            }
        }
        if token.any(&["limit", "max", "maximum"]) && !scope.in_network(at) {
            let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.any(&["to", "of"])));
            if free(next)
                && !followed_by_time(next)
                && let Some(n) = count(&tokens[next])
            {
                return (Some(n), None, vec![at, next]);
            }
        }
        // "five of them at most", "10 rows", "just the first 3"
        if let Some(n) = count(token) {
            let after = |k: usize| tokens.get(at + k);
            if (after(1).is_some_and(|t| t.is("of")) && after(2).is_some_and(|t| t.any(&["them", "those"])))
                || (n > 1
                    && after(1).is_some_and(|t| t.any(&["row", "rows", "entries", "lines", "result"]))
                    && !after(2).is_some_and(|t| t.any(&["per", "for", "each"])))
            {
                return (Some(n), None, vec![at]);
            }
        }
    }
    // "which 7 countries brought in the most"
    let direction =
        tokens.iter().any(|t| t.any(&["most", "least", "highest", "lowest", "best", "worst", "biggest", "smallest"]));
    if direction
        && let Some(at) = (0..tokens.len()).find(|i| {
            free(*i)
                && i.checked_sub(1).is_none_or(|k| {
                    tokens[k].is_stop()
                        || tokens[k].any(&["which", "what", "the", "show", "list", "me", "give", "my", "our"])
                })
                && count(&tokens[*i]).is_some()
                && DIMENSIONS.at(tokens, *i + 1).is_some()
                && !followed_by_time(*i)
        })
    {
        return (count(&tokens[at]), Some(!tokens.iter().any(|t| t.any(WORST))), vec![at]);
    }
    single(scope, &free)
}

/// Reads a limit of one row or only a direction: "which single ad unit earned the most", "the best country", "top app".
fn single(scope: &Scope<'_>, free: &dyn Fn(usize) -> bool) -> (Option<u32>, Option<bool>, Vec<usize>) {
    let tokens = scope.tokens;
    let superlative = (0..tokens.len()).find(|i| free(*i) && (tokens[*i].any(BEST) || tokens[*i].any(WORST)));
    let direction = superlative.map(|i| !tokens[i].any(WORST));
    if let Some(at) = (0..tokens.len()).find(|i| tokens[*i].is("single") && free(*i))
        && DIMENSIONS.at(tokens, at + 1).is_some()
    {
        return (Some(1), direction, vec![at]);
    }
    if let Some(at) = superlative
        && tokens[at].any(&["top", "best", "worst", "biggest", "highest", "lowest", "largest", "smallest"])
        && let next = at + 1 + usize::from(tokens.get(at + 1).is_some_and(|t| t.any(super::dimensions::RANKING)))
        && let Some((_, len)) = DIMENSIONS.at(tokens, next)
    {
        let last = &tokens[next + len - 1];
        let singular = last.norm == last.stem;
        return (singular.then_some(1), direction, vec![at]);
    }
    // "ad units with the lowest fill rate": right before a metric, "lowest" says how to sort the list, not how many rows to show.
    if let Some(at) = superlative.filter(|at| tokens[*at].any(WORST))
        && METRICS.at(tokens, at + 1).is_some()
    {
        return (None, direction, Vec::new());
    }
    // "which country earned the most" says how to sort the list, not how many rows to show.
    let asks = tokens.iter().any(|t| t.any(&["which", "what", "who"]));
    if asks && superlative.is_some_and(|i| i + 2 >= tokens.len() || tokens[i].any(&["most", "least", "best", "worst"]))
    {
        return (None, direction, Vec::new());
    }
    (None, None, Vec::new())
}
