//! Answers "What can you do with Unity?": says what we can read and change there, from the catalog of operations. This must never name
//! something that no operation serves.

use std::sync::LazyLock;

use adagent_domain::Network;
use serde::Deserialize;

use super::{
    Answer,
    format::{and, plain},
    read::Turn,
    talk, things,
};
use crate::text::{Kind, Token, tokens};
use crate::vocab::networks::NETWORKS;
use crate::vocab::nouns;
use crate::weigh::deed;
use crate::{Capability, Outcome};

/// How many kinds of things a sentence names; it only counts the rest.
const NAMED: usize = 7;

#[derive(Debug, Deserialize)]
struct Operation {
    name: String,
    network: Network,
    read_only: bool,
    capability: Capability,
}

static OPERATIONS: LazyLock<Vec<Operation>> =
    LazyLock::new(|| serde_json::from_str(adagent_scorer::OPERATIONS).unwrap_or_default());

/// Answers what we can do, if the question asks only that.
pub(super) fn answer(turn: &Turn<'_>) -> Option<Answer> {
    let refused = turn.understood.outcome == Outcome::Refuse && !talk::guessed(turn);
    if turn.goes_on || refused {
        return None;
    }
    match asked(&tokens(turn.question()))? {
        networks if networks.is_empty() => Some(talk::abilities(turn)),
        networks => Some(of(turn, &networks)),
    }
}

/// Checks whether the question asks what we can do. Returns the networks it names.
fn asked(tokens: &[Token]) -> Option<Vec<Network>> {
    let words: Vec<&Token> = tokens.iter().filter(|token| !matches!(token.kind, Kind::Punct(_))).collect();
    let is = |at: usize, any: &[&str]| words.get(at).is_some_and(|token| token.any(any));
    let start = words.iter().position(|token| token.any(&["what", "which", "how"])).filter(|at| *at <= 3)?;
    let things = usize::from(is(start + 1, &["things", "else", "all", "kind"]));
    let can = start + 1 + things;
    let who = is(can + 1, &["you", "i", "we", "this", "it"]);
    let does =
        is(can, &["can", "could"]) && who && is(can + 2, &["do", "help", "ask", "offer", "use", "manage", "handle"])
            || is(can, &["do"]) && is(can + 1, &["you"]) && is(can + 2, &["do", "offer", "support"])
            || is(can, &["are"]) && is(can + 1, &["you"]) && is(can + 2, &["able", "capable"]);
    if !does {
        return None;
    }
    // Any other text after it asks for something: "what can you do about the floor of Puzzle Game".
    let rest = words[can + 3..].first().map_or(tokens.len(), |token| token_at(tokens, token));
    let mut networks = Vec::new();
    let mut at = rest;
    while at < tokens.len() {
        if let Some((network, len)) = NETWORKS.at(tokens, at) {
            networks.push(network);
            at += len;
            continue;
        }
        let filler = [
            "with", "for", "in", "on", "me", "us", "you", "the", "my", "our", "here", "to", "do", "of", "and", "there",
            "network", "account", "exactly", "else", "please", "today", "now", "all",
        ];
        if !matches!(tokens[at].kind, Kind::Punct(_)) && !tokens[at].any(&filler) {
            return None;
        }
        at += 1;
    }
    Some(networks)
}

fn token_at(tokens: &[Token], token: &Token) -> usize {
    tokens.iter().position(|other| std::ptr::eq(other, token)).unwrap_or(tokens.len())
}

/// Returns the things that operations of a network serve, each once. They are in the order in which a sentence names them.
fn nouns_of(network: Network, passes: impl Fn(&Operation, &str) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let all = OPERATIONS.iter().filter(|operation| operation.network == network);
    for operation in all.filter(|operation| operation.capability != Capability::Reporting) {
        let (verb, noun) = deed(&operation.name, network);
        if !noun.is_empty() && nouns::capability(&noun) != Capability::Reporting && passes(operation, verb) {
            let words = things::plural(&noun);
            if !found.contains(&words) {
                found.push(words);
            }
        }
    }
    found
}

fn some(mut words: Vec<String>) -> String {
    let more = words.len().saturating_sub(NAMED);
    if more > 1 {
        words.truncate(NAMED);
        words.push(format!("{more} more kinds of things"));
    }
    and(&words)
}

fn of(turn: &Turn<'_>, networks: &[Network]) -> Answer {
    let mut lines = Vec::new();
    let mut chips = Vec::new();
    for network in networks {
        let name = network.display_name();
        let lists = nouns_of(*network, |operation, _| operation.read_only);
        let makes = nouns_of(*network, |operation, verb| !operation.read_only && verb == "create");
        let changes = nouns_of(*network, |operation, verb| !operation.read_only && verb != "create");
        let mut parts =
            vec!["show its numbers, such as revenue, impressions and eCPM by day, app or country".to_owned()];
        if !lists.is_empty() {
            parts.push(format!("list {}", some(lists.clone())));
        }
        if !makes.is_empty() {
            parts.push(format!("prepare new {}", some(makes)));
        }
        if !changes.is_empty() {
            parts.push(format!("prepare changes to {}", some(changes)));
        }
        let all = parts.iter().map(|part| format!("- {part}")).collect::<Vec<_>>().join("\n");
        let connected = turn.request.planner.connected.contains(network);
        let first = if connected { String::new() } else { format!(" {name} isn't connected yet.") };
        lines.push(format!("With {name} I can:{first}\n{all}"));
        chips.push(format!("{name} revenue last 7 days"));
        chips.extend(lists.first().map(|what| format!("List my {name} {}", plain(what))));
    }
    let text = format!("{}\n\nI send a change only after you approve it.", lines.join("\n\n"));
    Answer::text(text).following(chips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_done_is_told_from_what_is_to_be_done() {
        for (text, expected) in [
            ("what can you do?", Some(vec![])),
            ("what can you do with Unity?", Some(vec![Network::Unity])),
            ("hey, what can I do in AdMob and Pangle", Some(vec![Network::AdMob, Network::Pangle])),
            ("what else can you do for me", Some(vec![])),
            ("how can you help me with Liftoff?", Some(vec![Network::Liftoff])),
            ("what can you do about the drop in revenue", None),
            ("what can I do to raise eCPM", None),
            ("what should I do about it?", None),
            ("which apps can you see in Unity", None),
        ] {
            assert_eq!(asked(&tokens(text)), expected, "{text}");
        }
    }

    #[test]
    fn every_network_has_things_to_list() {
        for network in Network::ALL {
            assert!(!nouns_of(network, |operation, _| operation.read_only).is_empty(), "{network:?}");
        }
    }
}
