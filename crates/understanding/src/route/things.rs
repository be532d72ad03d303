//! Finds the networks and the things that a text names, each with its place.
//!
//! This module must never read a word as a thing when the word means something else. `about` decides what the text is about.

use adagent_domain::Network;

use super::reading::{Mention, NounMention, is_id, is_short_code};
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::NETWORKS;
use crate::vocab::nouns::NOUNS;
use crate::vocab::phrases::Found;

pub(super) fn mentions(text: &str, tokens: &[Token]) -> Vec<Mention> {
    let mut out = Vec::new();
    for Found { what, at, len } in NETWORKS.all(tokens) {
        let token = &tokens[at];
        let after = tokens.get(at + len);
        let raw = text.get(token.start..token.end).unwrap_or("");
        let before = at.checked_sub(1).map(|i| &tokens[i]);
        let wrong = match token.norm.as_str() {
            // "five at max", "max 10 rows"
            "max"
                if len == 1
                    && raw != "MAX"
                    && !after
                        .is_some_and(|t| t.any(&["ad", "unit", "app", "waterfall", "mediation", "sdk", "revenue"])) =>
            {
                before.is_some_and(|t| t.number().is_some() || t.any(&["at", "the", "of"]))
                    || after.is_some_and(|t| t.number().is_some() && t.norm.len() < 5)
            }
            "unity" => after.is_some_and(|t| t.any(&["engine", "editor", "project files", "stock"])),
            "fill" => true,
            _ => false,
        };
        if !wrong {
            out.push(Mention { network: what, at, end: at + len });
        }
    }
    out
}

pub(super) fn noun_mentions(tokens: &[Token], mentions: &[Mention]) -> Vec<NounMention> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some(m) = mentions.iter().find(|m| m.at == at) {
            at = m.end;
            continue;
        }
        if let Some((_, len)) = METRICS.at(tokens, at)
            && len > 1
            && NOUNS.at(tokens, at).is_none()
        {
            at += len;
            continue;
        }
        let Some((noun, len)) = NOUNS.at(tokens, at) else {
            at += 1;
            continue;
        };
        let end = at + len;
        let last = &tokens[end - 1];
        let mut next = end;
        while tokens
            .get(next)
            .is_some_and(|t| t.any(&["id", "ids", "named", "called", "event"]) || t.is_punct('(') || t.is_punct('#'))
        {
            next += 1;
        }
        let follower = tokens.get(next);
        let has_id = follower.is_some_and(|t| {
            is_id(t)
                || t.kind == Kind::Literal
                || is_short_code(t)
                || (matches!(t.kind, Kind::Number(_))
                    && t.norm.len() <= 3
                    && !tokens
                        .get(next + 1)
                        .is_some_and(|u| u.any(&["day", "month", "week", "percent"]) || u.is_punct('%')))
        });
        if !wrong_noun(tokens, at, end, noun) {
            out.push(NounMention { noun, at, end, has_id, plural: last.norm != last.stem });
        }
        at = end;
    }
    out
}

/// Checks whether a noun's words mean something else here.
fn wrong_noun(tokens: &[Token], at: usize, end: usize, noun: &str) -> bool {
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(end);
    let one = end == at + 1;
    let word = tokens[at].norm.as_str();
    match (noun, word) {
        ("app", _) => {
            after.is_some_and(|t| t.any(&["open", "store", "version", "bidding"]))
                || (before.is_some_and(|t| t.is("in")) && after.is_some_and(|t| t.is_punct('-') || t.is("bidding")))
        }
        ("experiment", "test") if one => {
            after.is_some_and(|t| t.any(&["device", "ad", "ads", "mode", "phone"]))
                || before.is_some_and(|t| t.is("to"))
        }
        // In "swap the order" and "reverse the order of our lines", "order" is how things are sorted.
        ("order", "order") => {
            !after.is_some_and(|t| is_id(t) || t.kind == Kind::Literal || t.capital)
                && tokens[..at].iter().any(|t| t.any(&["swap", "reverse", "change", "sort", "switch"]))
                && tokens.iter().any(|t| t.any(&["waterfall", "line", "source", "bidder", "group", "tier"]))
                || before.is_some_and(|t| {
                    t.any(&["in", "alphabetical", "waterfall", "ascending", "descending"])
                        || t.is("the")
                            && tokens[end..].iter().any(|t| t.any(&["waterfall", "line", "source", "tier", "bidder"]))
                }) && !after.is_some_and(|t| is_id(t) || t.kind == Kind::Literal || t.capital)
                    && tokens.get(end).is_some_and(|t| t.any(&["to", "of"]))
        }
        // In "my agency wants …", the noun is the one who asks.
        ("company" | "user" | "team" | "contact" | "programmatic_buyer", _) => {
            after.is_some_and(|t| {
                t.any(&[
                    "want",
                    "wants",
                    "asks",
                    "ask",
                    "asked",
                    "asking",
                    "needs",
                    "need",
                    "says",
                    "say",
                    "said",
                    "claim",
                    "claims",
                    "complain",
                    "complains",
                    "complained",
                    "insists",
                    "wrote",
                    "called",
                    "thinks",
                    "swears",
                    "swear",
                    "told",
                    "writes",
                ])
            }) && !after.is_some_and(|t| {
                t.is("called") && tokens.get(end + 1).is_some_and(|n| n.kind == Kind::Literal || n.capital)
            })
        }
        ("custom_targeting_key", "key" | "keys") if one => {
            before.is_some_and(|t| t.any(&["api", "secret", "security", "app", "asset", "metadata", "config"]))
        }
        ("mediation_group", "group" | "groups") if one => {
            before.is_some_and(|t| t.any(&["test", "control", "age", "user"]))
        }
        ("test_device", "device" | "devices") if one => after.is_some_and(|t| t.any(&["category", "type", "os"])),
        // "break that down by app"
        ("ad_break", "break") if one => {
            after.is_some_and(|t| t.any(&["it", "that", "this", "them", "these", "down", "by", "out", "up", "into"]))
                || tokens[end..].iter().take(5).any(|t| t.is("down"))
        }
        ("audience_segment", "segment") => after.is_some_and(|t| t.any(&["waterfall"])),
        ("report", "report") => {
            after.is_some_and(|t| t.any(&["in", "to"]))
                && before.is_some_and(|t| t.kind == Kind::Id || t.any(&["it", "we", "account", "that"]))
                && tokens.get(end + 1).is_none_or(Token::is_stop)
        }
        ("content", "video" | "videos") if one => {
            before.is_some_and(|t| t.any(&["rewarded", "reward", "+"])) || before.is_some_and(|t| t.is_punct('+'))
        }
        ("live_stream", "event") if one => before.is_some_and(|t| t.any(&["impression", "install"])),
        _ => false,
    }
}

/// Returns an ad unit that the text names only by its format: "needs an extra interstitial".
pub(super) fn unit_by_format(tokens: &[Token], nouns: &[NounMention], mentions: &[Mention]) -> Option<NounMention> {
    let elsewhere = mentions.iter().any(|m| m.network != Network::AdMob);
    if elsewhere || nouns.iter().any(|n| n.noun != "app") || !METRICS.all(tokens).is_empty() {
        return None;
    }
    (1..tokens.len()).find_map(|at| {
        let (_, len) = crate::vocab::dimensions::FORMATS.at(tokens, at)?;
        let one = tokens[at - 1].any(&["a", "an", "another", "extra", "new", "additional", "second", "one"]);
        let ends = tokens.get(at + len).is_none_or(|t| {
            t.is_stop() || t.any(&["for", "in", "to", "on", "called", "named", "into", "please", "with", "at"])
        });
        (one && ends).then_some(NounMention { noun: "ad_unit", at, end: at + len, has_id: false, plural: false })
    })
}
