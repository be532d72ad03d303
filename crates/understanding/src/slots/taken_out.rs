//! Recognizes what a question leaves out: "without Germany", "drop the US", "leave iOS out".
//!
//! This module must never read a word about what happened to the numbers ("why did revenue drop in Germany") as an order to leave something
//! out. The answer would then cover everything except what the person asked for.

use super::names::Name;
use crate::text::{Kind, Token};
use crate::vocab::countries::{COUNTRIES, GROUPS};
use crate::vocab::dimensions::{DIMENSIONS, FORMATS, PLATFORMS};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};

/// Words that leave out whatever they lead to.
const WITHOUT: &[&str] = &[
    "excluding",
    "except",
    "without",
    "exclude",
    "excl",
    "not",
    "outside",
    "minus",
    "besides",
    "ignoring",
    "ignore",
    "omit",
    "omitting",
    "excepting",
    "apart",
    "non",
    "ex",
];
/// Verbs that leave out their object and never describe numbers.
const ACTIONS: &[&str] = &["remove", "removing", "skip", "skipping", "hide", "hiding", "strip"];
/// Verbs that leave out their object only as an order, because numbers can also drop.
const ORDERS: &[&str] = &["drop", "cut", "lose"];
/// Verbs of "leave out Germany" and "take Germany out".
const LEAVE: &[&str] =
    &["leave", "leaving", "take", "taking", "filter", "filtering", "cut", "keep", "keeping", "kick", "strip", "throw"];
const PREPOSITIONS: &[&str] =
    &["in", "for", "from", "of", "on", "at", "by", "since", "across", "among", "within", "during", "per", "to"];

fn leads_on(token: Option<&Token>) -> bool {
    token.is_some_and(|t| t.any(PREPOSITIONS))
}

/// Checks whether the object of a verb comes right after it.
fn has_object(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|t| !t.is_stop()) && !leads_on(tokens.get(at + 1))
}

/// Checks whether a verb is an order: it opens the sentence, or comes after a word that leads to an order.
fn ordered(tokens: &[Token], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    let further = |words: &[&str]| before.checked_sub(1).is_some_and(|i| tokens[i].any(words));
    tokens[before].is_stop()
        || tokens[before].any(&[
            "and", "then", "please", "but", "now", "you", "to", "just", "ok", "okay", "also", "so", "instead", "let",
            "lets",
        ])
        || tokens[before].is("us") && further(&["let"])
        || tokens[before].any(&["we", "i"]) && further(&["can", "could", "should", "shall", "if"])
        // "revenue by country drop the US"
        || DIMENSIONS.at(tokens, before).is_some() && further(&["by", "per"])
}

/// Checks whether the word at `at` leaves out what follows it.
pub(crate) fn takes_out(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let before = |back: usize| at.checked_sub(back).map(|i| &tokens[i]);
    if token.is("but") {
        // "all but Germany", "all formats but banners" and "but not Germany" leave something out; "but Germany too" doesn't.
        let every = |t: Option<&Token>| {
            t.is_some_and(|t| t.any(&["all", "every", "any", "everything", "everywhere", "anything", "anywhere"]))
        };
        let listed = |back: usize| every(before(back)) && DIMENSIONS.at(tokens, at + 1 - back).is_some();
        return every(before(1)) || listed(2) || listed(3) || tokens.get(at + 1).is_some_and(|n| n.is("not"));
    }
    if token.is("other") {
        return tokens.get(at + 1).is_some_and(|n| n.is("than"));
    }
    if token.is("about") {
        let denied = before(2).is_some_and(|t| t.any(&["dont", "not", "never", "doesnt"]));
        return before(1).is_some_and(|t| t.is("care")) && denied;
    }
    if token.is("out") {
        return before(1).is_some_and(|t| t.any(LEAVE));
    }
    if token.any(&["including", "counting", "considering", "include", "count", "consider", "want", "need", "show"]) {
        return has_object(tokens, at) && before(1).is_some_and(|t| t.any(&["not", "dont", "never"]));
    }
    if token.is("no") {
        // "with no banners" and "revenue no Germany" leave something out; "why is there no iOS revenue" asks about it.
        return at.checked_sub(1).is_some_and(|i| tokens[i].is("with") || METRICS.at(tokens, i).is_some());
    }
    if token.is("less") {
        // "revenue less Germany" leaves out Germany; "less revenue" and "less than $5" leave out nothing.
        let figure = at.checked_sub(1).is_some_and(|i| METRICS.at(tokens, i).is_some());
        return figure && has_object(tokens, at) && !tokens.get(at + 1).is_some_and(|n| n.any(&["than", "then"]));
    }
    token.any(WITHOUT)
        || token.any(ACTIONS) && has_object(tokens, at)
        || token.any(ORDERS) && has_object(tokens, at) && ordered(tokens, at)
}

/// The values that a text names, each with its dimension and its tokens.
pub(super) struct Values(Vec<(&'static str, usize, usize)>);

impl Values {
    pub(super) fn of(text: &str, tokens: &[Token], names: &[Name]) -> Self {
        let mut out = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let found = if let Some(name) = names.iter().find(|n| n.at == at) {
                Some((name.field, name.end - at))
            } else if let Some((_, len)) = super::country_at(text, tokens, at) {
                Some(("country", len))
            } else if let Some((_, len)) = COUNTRIES.at(tokens, at) {
                Some(("country", len))
            } else if let Some((_, len)) = GROUPS.at(tokens, at) {
                Some(("country", len))
            } else if let Some((_, len)) = FORMATS.at(tokens, at) {
                Some(("format", len))
            } else if let Some((_, len)) = PLATFORMS.at(tokens, at) {
                Some(("platform", len))
            } else if let Some(len) = network_at(tokens, at) {
                Some(("ad_source", len))
            } else {
                (tokens[at].norm.len() == 2 && tokens[at].capital).then_some(("country", 1))
            };
            if let Some((field, len)) = found {
                out.push((field, at, at + len));
            }
            at += found.map_or(1, |(_, len)| len);
        }
        Self(out)
    }

    fn around(&self, at: usize) -> Option<&(&'static str, usize, usize)> {
        // The values are in order and do not overlap, so a binary search finds the value. A walk back over thousands of them would
        // otherwise take quadratic time.
        let begun = self.0.partition_point(|(_, from, _)| *from <= at);
        self.0[..begun].last().filter(|(_, _, to)| at < *to)
    }

    /// Checks whether the text leaves out the value of `field` at `at`.
    pub(super) fn taken_out(&self, tokens: &[Token], field: &str, at: usize) -> bool {
        if self.taken_out_after(tokens, at) {
            return true;
        }
        let mut i = at;
        // "excluding revenue from Germany" leaves out Germany; "without clicks in Germany" asks for rows without clicks.
        let mut figure = false;
        while i > 0 {
            i -= 1;
            let token = &tokens[i];
            if takes_out(tokens, i) {
                // "with no iOS impressions": the impressions are missing, not iOS.
                let end = self.around(at).map_or(at + 1, |(_, _, to)| *to);
                if token.is("no") && METRICS.at(tokens, end).is_some() {
                    return false;
                }
                return !figure
                    || token.any(&["excluding", "exclude", "excl", "minus", "except", "ignoring", "ignore"]);
            }
            if let Some((other, from, to)) = self.around(i) {
                // "without banners in Germany" and "without iOS, in Germany" keep Germany.
                let comma = tokens.get(*to).is_some_and(|t| t.is_punct(','));
                if leads_on(tokens.get(*to)) || comma && *other != field && leads_on(tokens.get(to + 1)) {
                    return false;
                }
                i = *from;
                continue;
            }
            let all = token.any(&["traffic", "user", "all", "any", "every", "country", "those", "that"]);
            let noun = token.any(&["app", "game", "format", "platform", "my", "our", "named", "called"])
                || token.is("ad") && DIMENSIONS.at(tokens, i).is_some_and(|(_, len)| len > 1)
                || token.is("unit");
            if METRICS.at(tokens, i).is_some_and(|(_, len)| len == 1) && leads_on(tokens.get(i + 1)) {
                figure = true;
                continue;
            }
            let list = all
                || noun && !leads_on(tokens.get(i + 1))
                || token.any(&["the", "and", "or", "from", "for", "in", "on", "than", "of"])
                || matches!(token.kind, Kind::Punct(',' | '-' | '/' | '&'))
                || token.is_punct('.') && i > 0 && tokens[i - 1].is("excl");
            if !list {
                return false;
            }
        }
        false
    }

    /// Checks whether words after the value leave it out: "Germany excluded", "leave Germany and France out".
    fn taken_out_after(&self, tokens: &[Token], at: usize) -> bool {
        let mut end = self.around(at).map_or(at + 1, |(_, _, to)| *to);
        while tokens.get(end).is_some_and(|t| t.any(&["and", "or"]))
            && let Some((_, _, to)) = self.around(end + 1)
        {
            end = *to;
        }
        let said = |k: usize, words: &[&str]| tokens.get(end + k).is_some_and(|t| t.any(words));
        if said(0, &["excluded", "omitted", "aside"])
            || said(0, &["not"]) && said(1, &["included", "counted"])
            || said(0, &["left", "taken", "filtered", "kept"]) && said(1, &["out"])
        {
            return true;
        }
        said(0, &["out"]) && {
            let within = |t: &Token, i: usize| t.any(&["the", "and", "or"]) || self.around(i).is_some();
            (0..at).rev().find(|i| !within(&tokens[*i], *i)).is_some_and(|i| tokens[i].any(LEAVE))
        }
    }
}

fn network_at(tokens: &[Token], at: usize) -> Option<usize> {
    NETWORKS.at(tokens, at).map(|(_, len)| len).or_else(|| OTHER_SOURCES.at(tokens, at).map(|(_, len)| len))
}

/// Checks whether the text leaves out the network at `at`: "revenue by ad source without Unity".
pub(crate) fn network_taken_out(text: &str, tokens: &[Token], at: usize) -> bool {
    Values::of(text, tokens, &[]).taken_out(tokens, "ad_source", at)
}

/// Checks whether the limit at `at` says which rows to drop and not which to keep: "skip the ones under $10".
pub(super) fn limit_taken_out(tokens: &[Token], at: usize) -> bool {
    const BETWEEN: &[&str] = &[
        "the",
        "one",
        "everything",
        "anything",
        "all",
        "those",
        "any",
        "with",
        "that",
        "which",
        "have",
        "having",
        "had",
        "earn",
        "earning",
        "making",
        "is",
        "are",
        "ad",
    ];
    for i in (at.saturating_sub(7)..at).rev() {
        if takes_out(tokens, i) {
            return true;
        }
        let named = DIMENSIONS.at(tokens, i).is_some() || METRICS.at(tokens, i).is_some();
        if !tokens[i].any(BETWEEN) && !named {
            return false;
        }
    }
    false
}

/// Checks whether the text leaves out the split at `at`: "not by country", "drop the app split".
pub(crate) fn split_taken_out(tokens: &[Token], at: usize) -> bool {
    const BETWEEN: &[&str] = &[
        "the",
        "a",
        "an",
        "any",
        "by",
        "per",
        "each",
        "every",
        "split",
        "splitting",
        "break",
        "breaking",
        "broken",
        "it",
        "them",
        "this",
        "down",
        "need",
        "want",
        "show",
        "group",
        "grouped",
        "to",
        "be",
        "into",
        "and",
        "or",
        "individual",
        "single",
        "ad",
        "my",
        "our",
    ];
    for i in (at.saturating_sub(6)..at).rev() {
        if tokens[i].any(&["no", "dont"]) || takes_out(tokens, i) {
            return true;
        }
        if !tokens[i].any(BETWEEN) && !tokens[i].is_punct(',') && DIMENSIONS.at(tokens, i).is_none() {
            return false;
        }
    }
    false
}

#[cfg(test)]
#[path = "taken_out_tests.rs"]
mod tests;
