//! Finds a mediation group that a text names without the word "group": "disable AppLovin in iOS Rewarded Global".
//!
//! This module must never take a network's own thing for a group. The text must name a known group, a demand source or a word about lines.

use std::sync::LazyLock;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Network;

use super::reading::{Mention, NounMention};
use crate::text::{Kind, Token};
use crate::vocab::countries::COUNTRIES;
use crate::vocab::dimensions::{FORMATS, TIME_WORDS};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};
use crate::vocab::phrases::Phrases;
use crate::vocab::verbs::Write;

/// What we found out about a group that the text names only by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Implied {
    pub at: usize,
    pub end: usize,
    /// The network of a known group.
    pub network: Option<Network>,
    pub write: Option<Write>,
}

impl Implied {
    /// Returns the group as the thing that the text is about.
    pub(super) fn mention(self) -> NounMention {
        NounMention { noun: "mediation_group", at: self.at, end: self.end, has_id: true, plural: false }
    }
}

/// Verbs that change a line only if the text is about a group. Elsewhere they mean other things.
static LINE_VERBS: LazyLock<Phrases<Write>> = LazyLock::new(|| {
    Phrases::new(&[
        (Write::Delete, "kick|kick out|throw|boot|boot out|ditch|yank|strip|pull|axe|chuck|bin|ban|lose"),
        (
            Write::Update,
            "give|target|want|need|include|restrict|price|hike|up|crank|crank up|tweak|bring|bring down|ease|reprice|try|let|have|make sure",
        ),
    ])
});

const PLACES: &[&str] = &["in", "from", "to", "into", "of", "on", "inside", "for", "within", "at", "off"];
const LINE_WORDS: &[&str] =
    &["floor", "line", "bidder", "bidding", "bid", "cpm", "ecpm", "waterfall", "source", "partner"];
/// What groups do, and what state they are in.
const SERVING: &[&str] = &[
    "target",
    "serve",
    "serving",
    "run",
    "running",
    "contain",
    "include",
    "configured",
    "inactive",
    "active",
    "enabled",
    "disabled",
    "paused",
    "live",
    "targeting",
    "targeted",
    "use",
];
const ASKS: &[&str] = &["what", "which", "who", "is", "are", "show", "list", "how", "does", "do", "where"];

/// Checks whether a noun is about lines. Any other noun is itself what the text is about.
fn about_lines(noun: &str) -> bool {
    matches!(noun, "bidder" | "ad_source" | "waterfall" | "instance")
}

/// In tokens. No group has a longer name. The limit also keeps us from reading a long text again from each of its words.
const LONGEST_NAME: usize = 16;

/// Checks whether a token can be part of a group's name: it has a capital letter, or is a short number, a dash or an underscore.
fn part(text: &str, token: &Token) -> bool {
    match token.kind {
        Kind::Number(_) => token.norm.len() <= 4,
        Kind::Word | Kind::Id => text.get(token.start..token.end).is_some_and(|raw| raw.contains(char::is_uppercase)),
        Kind::Punct('-' | '_') => true,
        _ => false,
    }
}

fn skip(tokens: &[Token], mut at: usize) -> usize {
    while tokens.get(at).is_some_and(|t| t.any(&["the", "our", "my", "group", "mediation"])) {
        at += 1;
    }
    at
}

/// Returns the name that starts at a token, if it can be a group's.
fn name_at(text: &str, tokens: &[Token], mentions: &[Mention], at: usize) -> Option<(usize, usize)> {
    // A quoted name is a name by itself.
    if tokens.get(at).is_some_and(|t| t.kind == Kind::Literal) {
        return Some((at, at + 1));
    }
    if mentions.iter().any(|m| m.at == at) || tokens.get(at).is_none_or(|t| !part(text, t)) {
        return None;
    }
    let end = at + tokens[at..].iter().take(LONGEST_NAME + 1).take_while(|t| part(text, t)).count();
    if end - at > LONGEST_NAME {
        return None;
    }
    let capitals = tokens[at..end].iter().filter(|t| matches!(t.kind, Kind::Word | Kind::Id)).count();
    // "in South Korea" and "in November 2026" are a place and a period, not names.
    let country = COUNTRIES.at(tokens, at).is_some_and(|(_, len)| at + len >= end);
    let month = tokens[at..end].iter().any(|t| crate::dates::month_of(&t.norm).is_some());
    let metric = METRICS.at(tokens, at).is_some();
    (capitals >= 2 && !country && !month && !metric).then_some((at, end))
}

fn has_format(tokens: &[Token], (at, end): (usize, usize)) -> bool {
    let quoted = |t: &Token| {
        t.kind == Kind::Literal && {
            let words = crate::text::tokens(&t.norm.to_lowercase());
            (0..words.len()).any(|i| FORMATS.at(&words, i).is_some())
        }
    };
    (at..end).any(|i| FORMATS.at(tokens, i).is_some() || quoted(&tokens[i]))
}

/// The entities, and where the text names them.
type Known<'a> = (&'a [EntityItem], &'a [crate::link::Linked]);

fn known(text: &str, tokens: &[Token], (entities, linked): Known<'_>) -> Option<(usize, usize, Network)> {
    let found = linked
        .iter()
        .find(|l| l.kind == EntityKind::MediationGroup && (l.last - l.first > 1 || part(text, &tokens[l.first])))?;
    Some((found.first, found.last, entities.get(*found.candidates.first()?)?.network))
}

/// Returns the verb about lines that opens the text, after words such as "please" or "let us".
fn line_verb(tokens: &[Token]) -> Option<Write> {
    let polite = [
        "please", "pls", "can", "could", "would", "you", "we", "i", "let", "us", "lets", "now", "ok", "and", "also",
        "just", "to",
    ];
    let at = tokens.iter().position(|t| !t.any(&polite) && !matches!(t.kind, Kind::Punct(_)))?;
    // "get X off", "take X out": the particle decides.
    let particle = tokens[at].any(&["get", "take"]) && tokens.iter().any(|t| t.any(&["off", "out", "rid"]));
    LINE_VERBS.at(tokens, at).map(|(write, _)| write).or(particle.then_some(Write::Delete))
}

/// Returns the name of an unknown place in a text: "US Interstitial" in "disable AppLovin in US Interstitial".
pub(crate) fn unknown_name(text: &str) -> Option<String> {
    let tokens = crate::text::tokens(text);
    let place =
        |i: usize| tokens[i].any(PLACES).then(|| skip(&tokens, i + 1)).and_then(|at| name_at(text, &tokens, &[], at));
    let (at, end) = (0..tokens.len()).rev().find_map(place)?;
    text.get(tokens[at].start..tokens[end - 1].end).map(str::to_owned)
}

/// Returns the demand sources in a text, as it spells them.
pub(crate) fn source_words(text: &str) -> Vec<String> {
    let tokens = crate::text::tokens(text);
    let spelled = |at: usize, end: usize| text.get(tokens[at].start..tokens[end - 1].end).unwrap_or("").to_owned();
    let networks = NETWORKS.all(&tokens);
    let networks = networks.iter().filter(|f| f.what != Network::AdMob).map(|f| spelled(f.at, f.end()));
    networks.chain(OTHER_SOURCES.all(&tokens).iter().map(|f| spelled(f.at, f.end()))).collect()
}

/// Finds a group that the text names without the word.
pub(super) fn group(
    text: &str,
    tokens: &[Token],
    mentions: &[Mention],
    nouns: &[NounMention],
    known_names: Known<'_>,
    write: Option<Write>,
) -> Option<Implied> {
    let known = known(text, tokens, known_names);
    let inside = |at: usize, span: (usize, usize)| (span.0..span.1).contains(&at);
    let place = |i: usize| {
        (tokens[i].any(PLACES)).then(|| skip(tokens, i + 1)).and_then(|at| name_at(text, tokens, mentions, at))
    };
    let span = known
        .map(|(at, end, _)| (at, end))
        .or_else(|| (0..tokens.len()).rev().find_map(place))
        .or_else(|| {
            // "pause Android Rewarded Tier 1": a name with a format right after the verb.
            let at = tokens.iter().position(|t| !t.any(&["please", "can", "could", "you"]))?;
            let changes = matches!(write, Some(Write::Update | Write::Activate | Write::Deactivate | Write::Archive));
            let start = (at + 1..=at + 2).find_map(|i| name_at(text, tokens, mentions, skip(tokens, i)))?;
            (changes && has_format(tokens, start)).then_some(start)
        })
        .or_else(|| {
            // "which countries does US Rewarded target", "stop serving US Rewarded to Canada": a name with a format, and a word about
            // serving.
            let serves = tokens.iter().any(|t| t.any(SERVING))
                || write.is_some()
                    && tokens.windows(2).any(|w| w[0].is("be") && w[1].any(&["called", "renamed", "named"]));
            let start = (0..tokens.len())
                .find_map(|i| name_at(text, tokens, mentions, i).filter(|s| has_format(tokens, *s)))?;
            (serves && METRICS.all(tokens).is_empty()).then_some(start)
        })?;
    if nouns.iter().any(|n| !inside(n.at, span) && !about_lines(n.noun)) {
        return None;
    }
    let source = mentions.iter().any(|m| m.network != Network::AdMob && !inside(m.at, span))
        || OTHER_SOURCES.all(tokens).iter().any(|f| !inside(f.at, span));
    let lands = (0..tokens.len()).any(|i| !inside(i, span) && COUNTRIES.at(tokens, i).is_some());
    let lines = tokens.iter().enumerate().any(|(i, t)| !inside(i, span) && t.any(LINE_WORDS));
    let shows = tokens.windows(2).any(|w| w[0].is("give") && w[1].any(&["me", "us"]));
    // "floors in iOS Rewarded Global please" begins with what it asks for.
    let listed = write.is_none() && tokens.first().is_some_and(|t| t.any(LINE_WORDS));
    let asks =
        shows || listed || tokens.iter().take(2).any(|t| t.any(ASKS)) || tokens.last().is_some_and(|t| t.is_punct('?'));
    let wish = write.or_else(|| if asks { None } else { line_verb(tokens) });
    let formatted = has_format(tokens, span);
    let figures = (0..tokens.len()).any(|i| {
        !inside(i, span)
            && (METRICS.at(tokens, i).is_some_and(|_| !tokens[i].any(&["cpm", "ecpm"]))
                || TIME_WORDS.at(tokens, i).is_some()
                || tokens[i].any(&["yesterday", "today", "week", "month", "day", "quarter", "year"]))
    });
    let fits = match wish {
        Some(_) => known.is_some() || source || lines || lands || formatted,
        None => {
            asks && !figures
                && (source || lines && !tokens.iter().any(|t| t.any(&["cpm", "ecpm"])) || formatted || known.is_some())
        }
    };
    let write = match wish {
        // If the group exists, the order changes it, whatever the verb.
        Some(Write::Create | Write::Link | Write::Delete | Write::Submit) if fits => Some(Write::Update),
        other => other,
    };
    fits.then_some(Implied { at: span.0, end: span.1, network: known.map(|k| k.2), write })
}

#[cfg(test)]
mod tests {
    fn found(text: &str) -> Option<String> {
        let today = jiff::civil::date(2026, 11, 21);
        let reading = crate::route::reading::Reading::new(text, today, &[]);
        let noun = reading.noun.filter(|_| reading.implied)?;
        let (from, to) = (reading.tokens[noun.at].start, reading.tokens[noun.end - 1].end);
        Some(reading.text[from..to].to_owned())
    }

    #[test]
    fn a_group_is_seen_beside_a_source_and_not_where_something_else_is_spoken_of() {
        for (text, group) in [
            ("disable AppLovin in iOS Rewarded Global", Some("iOS Rewarded Global")),
            ("put a $4.50 floor on InMobi in iOS Rewarded Global", Some("iOS Rewarded Global")),
            ("kick Pangle out of Tier 2 Banner", Some("Tier 2 Banner")),
            ("AppLovin revenue in South Korea", None),
            ("pause the InMobi placement 1234567 in Word Quest", None),
            ("Unity revenue in November 2026", None),
            ("create a rewarded ad unit in Puzzle Game", None),
            ("revenue of iOS Rewarded Global last week", None),
        ] {
            assert_eq!(found(text).as_deref(), group, "{text}");
        }
    }
}
