//! Recognizes what the verb alone does not say: changes that start or end a test, and two things that are linked.
//!
//! This module must never take a question about a test for an order.

use super::reading::NounMention;
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;
use crate::vocab::verbs::{READS, Write};

/// Returns the kind of write. "variant B won, make it permanent" ends a test, whatever the verb.
pub(super) fn decided(tokens: &[Token], noun: Option<NounMention>, kind: Write) -> Write {
    let over = tokens.iter().any(|t| t.any(&["won", "wins", "winner", "permanent", "final"]));
    let starts = tokens.iter().any(|t| t.any(&["start", "create", "run", "launch", "new"]));
    if noun.is_some_and(|n| n.noun == "experiment") && over && !starts { Write::Stop } else { kind }
}

/// Checks whether the text names a part of the traffic: "on half of the traffic", "for 20 % of the users". Only a test serves just a part.
fn part_of_traffic(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, t)| {
        t.any(&["traffic", "user", "audience", "player", "request", "session"])
            && tokens[at.saturating_sub(5)..at].iter().any(|p| {
                p.is_punct('%') || p.any(&["percent", "half", "quarter", "third", "fifth", "tenth", "part", "fraction"])
            })
    })
}

/// Returns where the text says that a change should only be tried: on a part of the traffic, or as a test.
pub(super) fn trial(
    tokens: &[Token],
    nouns: &[NounMention],
    noun: Option<NounMention>,
    verb: Option<usize>,
    assigned: bool,
) -> Option<usize> {
    let changes = verb.is_some() || assigned;
    let asked = tokens.iter().any(|t| t.is_punct('?') || t.any(&["what", "which", "how", "did", "was", "were", "why"]));
    if asked {
        return None;
    }
    if let Some(test) = noun.filter(|n| n.noun == "experiment") {
        // "let's test X for 20 % of the users", "split test on group 12: B without Unity": the text also describes the test.
        let described = tokens[test.end..].iter().any(|t| t.is_punct(':'))
            && nouns.iter().any(|n| n.noun == "mediation_group" && n.has_id);
        let read = (0..tokens.len()).any(|i| !(test.at..test.end).contains(&i) && READS.at(tokens, i).is_some());
        return (verb.is_none() && !read && (part_of_traffic(tokens) || described)).then_some(test.at);
    }
    let tries =
        |t: &Token| t.any(&["try", "test", "trial", "give", "serve", "show", "run", "experiment", "send", "let"]);
    let spot = tokens.iter().position(tries);
    let group = noun.is_none_or(|n| matches!(n.noun, "mediation_group" | "bidder" | "waterfall" | "ad_source"));
    if !group || noun.is_none() && !tokens.iter().any(|t| t.kind == Kind::Literal) {
        return None;
    }
    if part_of_traffic(tokens) && METRICS.all(tokens).iter().all(|m| m.what == "ecpm") {
        return verb.or(spot).or_else(|| changes.then_some(0));
    }
    // "A/B test lower floors in group X": the test is the verb, and the change is its object.
    let test = nouns.iter().find(|n| n.noun == "experiment" && n.end > n.at + 1)?;
    verb.filter(|at| *at >= test.end && *at <= test.end + 2).map(|_| test.at)
}

/// Reads verbs that end a test and mean other things elsewhere: "close the experiment of group 12".
pub(super) fn ended(tokens: &[Token], nouns: &[NounMention]) -> Option<(Write, usize)> {
    let polite = ["please", "pls", "can", "could", "you", "lets", "let", "us", "now", "ok"];
    let at = tokens.iter().position(|t| !t.any(&polite) && !matches!(t.kind, Kind::Punct(_)))?;
    let ends =
        tokens[at].any(&["close", "wind", "abandon", "declare", "pick", "choose", "crown", "conclude", "complete"]);
    (ends && nouns.iter().any(|n| n.noun == "experiment")).then_some((Write::Stop, at))
}

/// Reads an order that links two things, which makes a mapping: "connect the unit 123 with the Mintegral placement 456".
pub(super) fn joined(tokens: &[Token], nouns: &[NounMention]) -> Option<(Write, usize)> {
    let named = |noun: &str| nouns.iter().any(|n| n.noun == noun);
    let both = named("ad_unit") && (named("placement") || named("ad_slot"));
    let at = tokens.iter().position(|t| t.any(&["connect", "join", "match", "bind"]))?;
    let order =
        !tokens.iter().any(|t| t.is_punct('?')) && !tokens[..at].iter().any(|t| t.any(&["which", "what", "is", "are"]));
    (both && order).then_some((Write::Link, at))
}
