//! Finds names in a question: in quotes, package names, IDs, known entities, capitalized words.

use adagent_contract::EntityKind;

use super::Scope;
use crate::dates::month_of;
use crate::text::{Kind, Token};
use crate::vocab::countries::{COUNTRIES, GROUPS};
use crate::vocab::dimensions::{DIMENSIONS, FORMATS, PLATFORMS, TIME_WORDS};
use crate::vocab::metrics::METRICS;
use crate::vocab::spelling::is_common;

/// A name, the dimension that it filters, and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub field: &'static str,
    pub value: String,
    pub at: usize,
    pub end: usize,
}

/// Returns the dimension that the words before a name mention.
fn field_before(tokens: &[Token], at: usize) -> Option<&'static str> {
    let from = at.saturating_sub(4);
    for i in (from..at).rev() {
        if tokens[i].any(&["named", "called", "id", "the", "with", "name", "ids"])
            || matches!(tokens[i].kind, Kind::Punct('(' | ':' | '-'))
        {
            continue;
        }
        // The longest phrase that ends at this word.
        return (from..=i)
            .find_map(|j| DIMENSIONS.at(tokens, j).filter(|(_, n)| j + n == i + 1).map(|(d, _)| d))
            .filter(|d| {
                matches!(
                    *d,
                    "app"
                        | "ad_unit"
                        | "placement"
                        | "mediation_group"
                        | "line_item"
                        | "order"
                        | "campaign"
                        | "advertiser"
                        | "ad_source"
                        | "instance"
                )
            });
    }
    None
}

pub(super) fn read(scope: &Scope<'_>, taken: &dyn Fn(usize) -> bool) -> Vec<Name> {
    let tokens = scope.tokens;
    let mut out: Vec<Name> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if taken(at) {
            continue;
        }
        match token.kind {
            Kind::Literal if tokens[at.saturating_sub(2)..at].iter().any(|t| t.is("report")) => {}
            Kind::Literal => out.push(Name {
                field: field_before(tokens, at).unwrap_or("app"),
                value: token.norm.clone(),
                at,
                end: at + 1,
            }),
            Kind::Id if token.norm.starts_with("pub-") => {}
            Kind::Id if token.norm.starts_with("http") || token.norm.contains('@') => {}
            Kind::Id => {
                let field = field_before(tokens, at).unwrap_or(
                    if token.norm.contains('~')
                        || token.norm.contains('.')
                        || token.norm.len() == 9 && !token.norm.contains('/')
                    {
                        "app"
                    } else {
                        "ad_unit"
                    },
                );
                let raw = scope.text.get(token.start..token.end).unwrap_or(&token.norm).to_owned();
                out.push(Name { field, value: raw, at, end: at + 1 });
            }
            Kind::Number(_) if token.norm.len() >= 5 && token.norm.bytes().all(|b| b.is_ascii_digit()) => {
                if let Some(field) = field_before(tokens, at) {
                    out.push(Name { field, value: token.norm.clone(), at, end: at + 1 });
                }
            }
            _ => {}
        }
    }
    known(scope, &mut out);
    capitalised(scope, taken, &mut out);
    spoken(scope, taken, &mut out);
    out.sort_by_key(|n| n.at);
    out
}

/// Adds the names of entities that the workspace knows.
fn known(scope: &Scope<'_>, out: &mut Vec<Name>) {
    for found in scope.linked {
        let field = match found.kind {
            EntityKind::App => "app",
            EntityKind::AdUnit => "ad_unit",
            EntityKind::MediationGroup => "mediation_group",
            _ => continue,
        };
        let (at, end) = (found.first, found.last);
        if out.iter().any(|n| n.at < end && at < n.end) || (at..end).all(|i| scope.in_network(i)) {
            continue;
        }
        // "ad units": a single word of the vocabulary is a name only if it is capitalized.
        let lone = end - at == 1
            && !scope.tokens[at].capital
            && (vocabulary(scope.tokens, at) || is_common(&scope.tokens[at].norm));
        if !lone {
            let from = scope.tokens[at].start;
            let to = scope.tokens[end - 1].end;
            out.push(Name { field, value: scope.text.get(from..to).unwrap_or("").to_owned(), at, end });
        }
    }
}

fn vocabulary(tokens: &[Token], at: usize) -> bool {
    METRICS.at(tokens, at).is_some()
        || DIMENSIONS.at(tokens, at).is_some()
        || FORMATS.at(tokens, at).is_some()
        || PLATFORMS.at(tokens, at).is_some()
        || TIME_WORDS.at(tokens, at).is_some()
        || COUNTRIES.at(tokens, at).is_some()
}

/// Adds a name without capitals between the question word and its verb: "how did puzzle game do on iOS".
fn spoken(scope: &Scope<'_>, taken: &dyn Fn(usize) -> bool, out: &mut Vec<Name>) {
    let tokens = scope.tokens;
    let Some(start) = tokens
        .windows(2)
        .position(|w| w[0].is("how") && w[1].any(&["did", "does", "is", "has", "was"]))
        .map(|at| at + 2)
    else {
        return;
    };
    let verb = |t: &Token| t.any(&["do", "doing", "done", "perform", "performing", "performed", "go", "fare", "look"]);
    let Some(end) = (start..tokens.len().min(start + 5)).find(|i| verb(&tokens[*i])) else { return };
    let named = |at: usize| {
        let word = &tokens[at];
        let game = word.is("game") && at > start;
        word.kind == Kind::Word
            && !taken(at)
            && !scope.in_network(at)
            && (game || !vocabulary(tokens, at))
            && !word.any(&[
                "we",
                "i",
                "it",
                "they",
                "that",
                "this",
                "these",
                "those",
                "our",
                "my",
                "the",
                "you",
                "everything",
                "things",
                "ads",
                "ad",
                "business",
                "monetization",
                "monetisation",
                "all",
                "us",
                "each",
                "every",
            ])
            && crate::vocab::networks::OTHER_SOURCES.at(tokens, at).is_none()
            && super::country_at(scope.text, tokens, at).is_none()
    };
    if start < end && (start..end).all(named) && !out.iter().any(|n| n.at < end && start < n.end) {
        let text = scope.text.get(tokens[start].start..tokens[end - 1].end).unwrap_or("").to_owned();
        out.push(Name { field: "app", value: text, at: start, end });
    }
}

/// Currency codes, which look like names.
const CURRENCIES: [&str; 12] = ["eur", "usd", "gbp", "jpy", "inr", "chf", "cad", "aud", "brl", "cny", "krw", "try"];

/// Adds capitalized words that no vocabulary has. Most likely they are an app.
fn capitalised(scope: &Scope<'_>, taken: &dyn Fn(usize) -> bool, out: &mut Vec<Name>) {
    let tokens = scope.tokens;
    let shouting = tokens.iter().filter(|t| t.kind == Kind::Word && t.capital).count() * 3 > tokens.len() * 2;
    if shouting && tokens.len() > 4 {
        return;
    }
    let part = |at: usize| {
        tokens.get(at).is_some_and(|t| {
            t.capital
                && t.kind == Kind::Word
                && !taken(at)
                && !scope.in_network(at)
                && month_of(&t.norm).is_none()
                && t.norm.len() > 1
                && !CURRENCIES.contains(&t.norm.as_str())
                && METRICS.at(tokens, at).is_none()
                && PLATFORMS.at(tokens, at).is_none()
                && FORMATS.at(tokens, at).is_none()
                && TIME_WORDS.at(tokens, at).is_none()
                && super::country_at(scope.text, tokens, at).is_none()
                && GROUPS.at(tokens, at).is_none()
                && !crate::vocab::spelling::is_domain_word(t)
        })
    };
    let mut at = 0;
    while at < tokens.len() {
        if !part(at) || out.iter().any(|n| (n.at..n.end).contains(&at)) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while part(end)
            || tokens.get(end).is_some_and(|t| t.capital && t.is("game") && !taken(end))
            || (tokens.get(end).is_some_and(|t| matches!(t.kind, Kind::Number(_)) && t.norm.len() <= 2)
                && !taken(end)
                && part(end - 1)
                && end - at >= 1
                && tokens.get(end + 1).is_none_or(|t| !t.is("day")))
        {
            end += 1;
        }
        let first = at == 0 || tokens[at - 1].is_stop() || matches!(tokens[at - 1].kind, Kind::Punct('¿' | '¡'));
        let opens =
            crate::vocab::verbs::READS.at(tokens, at).is_some() || crate::vocab::verbs::WRITES.at(tokens, at).is_some();
        let start = if first && end - at >= 2 && opens { at + 1 } else { at };
        let words: Vec<&Token> = tokens[start..end].iter().collect();
        let led = start > 0
            && tokens[start - 1].any(&[
                "for",
                "of",
                "in",
                "from",
                "on",
                "app",
                "game",
                "only",
                "just",
                "did",
                "does",
                "is",
                "about",
                "excluding",
                "except",
                "vs",
                "to",
            ]);
        let trailed = tokens.get(end).is_some_and(|t| t.any(&["only", "android", "ios", "app", "game"]))
            || (words.len() >= 2 && scope.in_network(end));
        let strange = words.iter().any(|t| !is_common(&t.norm));
        let enough = words.len() >= 2
            && (strange || (first && !scope.in_network(end)) || led || trailed || tokens[end - 1].is("game"))
            || (words.len() == 1 && strange && (led || trailed) && !first);
        if enough {
            let from = tokens[start].start;
            let to = tokens[end - 1].end;
            out.push(Name {
                field: field_before(tokens, start).unwrap_or("app"),
                value: scope.text.get(from..to).unwrap_or("").to_owned(),
                at: start,
                end,
            });
        }
        at = end;
    }
}
