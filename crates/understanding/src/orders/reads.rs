//! Splits a message into several questions about numbers: "revenue by network yesterday and the top 5 ad units last week".
//!
//! This module must never cut one question in two. Each part names its own numbers and its own period, or ranks another dimension, and no
//! part refers to another.

use adagent_contract::{EntityItem, capital};
use jiff::civil::Date;

use super::{JOINTS, in_name, points};
use crate::route::reading::Reading;
use crate::text::Kind;
use crate::vocab::languages;
use crate::wish::Orders;

/// The most questions in one message.
const MOST: usize = 5;

const MOST_TOKENS: usize = 80;

/// Returns the questions of a message that has more than one and changes nothing.
pub(crate) fn several(text: &str, entities: &[EntityItem], today: Date) -> Option<Orders> {
    let lower = text.to_lowercase();
    if !["and ", "then ", ", ", "; ", ". ", "? ", "plus ", "und ", "y ", "et "]
        .iter()
        .any(|joint| lower.contains(joint))
    {
        return None;
    }
    // Most messages ask one thing, and we can see that without any names. We don't split a long text.
    let words = crate::text::tokens(&languages::to_english(text));
    let ranks = words.iter().any(|token| token.any(&["top", "best", "worst", "bottom", "highest", "lowest"]));
    if words.len() > MOST_TOKENS || !ranks && crate::dates::periods(&words, today).len() < 2 {
        return None;
    }
    let whole = Reading::new(text, today, entities);
    if whole.write.is_some() || whole.assigns || whole.supposed.is_some() || whole.analysis || compares(&whole) {
        return None;
    }
    let mut texts = Vec::new();
    let mut rest = whole.text.clone();
    while texts.len() + 1 < MOST
        && let Some((first, later)) = cut(&rest, entities, today)
    {
        texts.push(first);
        rest = later;
    }
    if texts.is_empty() {
        return None;
    }
    texts.push(rest);
    let mut texts = texts.into_iter().map(|text| capital(text.trim().trim_end_matches(['.', ',', ';', '?'])));
    Some(Orders { first: texts.next()?, later: texts.collect() })
}

/// Checks whether the text compares numbers with others: that is one question.
fn compares(reading: &Reading) -> bool {
    reading.slots.compare.is_some()
        || reading.has(&["compare", "compared", "vs", "versus", "against", "than", "between"])
}

/// Returns the first question and the rest of the text after it.
fn cut(text: &str, entities: &[EntityItem], today: Date) -> Option<(String, String)> {
    let whole = Reading::new(text, today, entities);
    let tokens = &whole.tokens;
    (1..tokens.len().saturating_sub(1)).find_map(|joint| {
        let stop = matches!(tokens[joint].kind, Kind::Punct(',' | ';' | '.' | '?'));
        if in_name(&whole, joint) || !(stop || tokens[joint].any(&JOINTS)) {
            return None;
        }
        let mut at = joint + 1;
        while tokens.get(at).is_some_and(|t| t.any(&JOINTS) || matches!(t.kind, Kind::Punct(','))) {
            at += 1;
        }
        let first = text.get(..tokens[joint - 1].end)?;
        let later = text.get(tokens.get(at)?.start..)?;
        both(&Reading::new(first, today, entities), &Reading::new(later, today, entities))
    })
}

/// Returns both questions with their period and network, if each is a question of its own.
fn both(first: &Reading, later: &Reading) -> Option<(String, String)> {
    let asked = |reading: &Reading| {
        let slots = &reading.slots;
        let figures =
            !slots.metrics.is_empty() || slots.money_verb || !slots.dimensions.is_empty() || slots.limit.is_some();
        figures
            && reading.write.is_none()
            && !reading.assigns
            && !(0..reading.tokens.len()).any(|at| points(reading, at))
    };
    let (a, b) = (&first.slots, &later.slots);
    // The second question needs another split, another limit or another metric. A period alone goes on with the first question.
    let other = a.dimensions != b.dimensions || a.limit != b.limit || !b.metrics.is_empty() && a.metrics != b.metrics;
    let subject = !b.dimensions.is_empty() || !b.metrics.is_empty();
    if !asked(first) || !asked(later) || !other || !subject {
        return None;
    }
    let timed = a.period.is_some() && b.period.is_some();
    let ranked = b.limit.is_some() && !a.dimensions.is_empty() && !b.dimensions.is_empty() && a.limit.is_none();
    let dated = a.period.is_some() || b.period.is_some();
    // "by app and top 5 countries" of one period asks for two tables: one is split, the other ranked.
    if !(timed || ranked && dated && a.dimensions != b.dimensions) {
        return None;
    }
    let time = |reading: &Reading| {
        let period = reading.slots.period?;
        let (from, to) = (reading.tokens.get(period.at)?.start, reading.tokens.get(period.end().checked_sub(1)?)?.end);
        reading.text.get(from..to).map(str::to_owned)
    };
    let timed = |own: &Reading, from: &Reading| match own.slots.period {
        Some(_) => own.text.clone(),
        None => time(from).map_or_else(|| own.text.clone(), |time| format!("{} {time}", own.text.trim())),
    };
    // If the second question names no network, it gets the one of the first.
    let network = match first.services[..] {
        [one] if later.mentions.is_empty() => format!(" in {}", one.display_name()),
        _ => String::new(),
    };
    let second = timed(later, first);
    Some((timed(first, later), format!("{}{network}", second.trim().trim_end_matches(['.', ',', ';', '?']))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Option<Vec<String>> {
        let orders = several(text, &[], jiff::civil::date(2026, 11, 21))?;
        Some(std::iter::once(orders.first).chain(orders.later).collect())
    }

    #[test]
    fn questions_with_a_time_and_a_split_of_their_own_are_several() {
        for (text, parts) in [
            (
                "revenue by network yesterday and the top 5 ad units last week",
                vec!["Revenue by network yesterday", "The top 5 ad units last week"],
            ),
            (
                "Show AdMob eCPM by country last 7 days, then impressions by app yesterday.",
                vec!["Show AdMob eCPM by country last 7 days", "Impressions by app yesterday in AdMob"],
            ),
            (
                "revenue by network and the top 5 ad units last week",
                vec!["Revenue by network last week", "The top 5 ad units last week"],
            ),
            (
                "Umsatz nach Netzwerk gestern und die Top 5 Länder letzte Woche",
                vec!["Revenue by network yesterday", "The Top 5 country last week"],
            ),
            (
                "ingresos por red ayer y el top 5 de países la semana pasada",
                vec!["Revenue by network yesterday", "The top 5 of country last week"],
            ),
        ] {
            assert_eq!(cut(text), Some(parts.into_iter().map(str::to_owned).collect()), "{text}");
        }
    }

    #[test]
    fn one_question_is_never_cut() {
        for text in [
            "revenue and eCPM by country last week",
            "revenue yesterday and the day before",
            "revenue yesterday and last week",
            "compare revenue by app yesterday and revenue by app last week",
            "revenue yesterday vs revenue last week by country",
            "revenue by country and platform last week",
            "What was my revenue yesterday? Show me the countries.",
            "Show revenue yesterday, then show it by country",
            "top 5 apps and top 5 countries",
            "revenue of Puzzle Game and Word Quest yesterday",
        ] {
            assert_eq!(cut(text), None, "{text}");
        }
    }
}
