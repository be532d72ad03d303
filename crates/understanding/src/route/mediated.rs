//! Reads "turn off Liftoff in LevelPlay": the first network is a demand source in the mediation of the second.
//!
//! This module must never take a network's own thing for a source. If the text names an app, an ad unit or a group, that is what changes.

use adagent_domain::Network;

use super::reading::{Mention, NounMention};
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;
use crate::vocab::networks::OTHER_SOURCES;
use crate::vocab::verbs::{WRITES, Write};

/// A demand source that should change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mediated {
    /// The network whose mediation it is in, if the text names it.
    pub place: Option<Network>,
    /// The tokens of the source.
    pub at: usize,
    pub end: usize,
    /// The text names it as a line of a waterfall.
    pub line: bool,
}

impl Mediated {
    /// Returns what a source is called at its mediator.
    pub fn noun(self) -> &'static str {
        match self.place {
            Some(Network::Unity | Network::DtExchange) => "instance",
            Some(Network::AppLovin) => "waterfall",
            // Any mediator may have it.
            None if self.line => "bidder",
            _ => "mediation_group",
        }
    }

    /// Returns the source as the thing that the text is about.
    pub(super) fn mention(self) -> NounMention {
        NounMention { noun: self.noun(), at: self.at, end: self.end, has_id: false, plural: false }
    }
}

/// Checks whether a network mediates others.
pub const fn mediates(network: Network) -> bool {
    matches!(network, Network::AdMob | Network::AppLovin | Network::Unity | Network::DtExchange)
}

fn changes(write: Option<Write>) -> bool {
    matches!(
        write,
        Some(Write::Update | Write::Activate | Write::Deactivate | Write::Delete | Write::Stop | Write::Archive)
    )
}

/// Returns the demand source of an order that names a line, or only networks.
pub(super) fn source(
    tokens: &[Token],
    mentions: &[Mention],
    nouns: &[NounMention],
    write: Option<Write>,
) -> Option<Mediated> {
    let of_lines = |noun: &str| matches!(noun, "bidder" | "ad_source" | "waterfall" | "instance");
    let figures = METRICS.all(tokens).iter().any(|found| found.what != "ecpm");
    if !changes(write) || figures {
        return None;
    }
    if let Some(line) = line(tokens, mentions, nouns) {
        return Some(line);
    }
    let known = tokens.iter().any(|t| matches!(t.kind, Kind::Literal | Kind::Id));
    if known || nouns.iter().any(|n| !of_lines(n.noun)) {
        return None;
    }
    let others = OTHER_SOURCES.all(tokens);
    let mut named: Vec<(usize, usize)> = mentions.iter().map(|m| (m.at, m.end)).collect();
    named.extend(others.iter().map(|found| (found.at, found.end())));
    named.sort_unstable();
    let (at, end) = *named.first()?;
    let placed = |m: &&Mention| {
        let lead = tokens[..m.at].iter().rev().find(|t| !t.any(&["the", "our", "my"]));
        m.at >= end && lead.is_some_and(|t| t.any(&["in", "on", "from", "inside", "within", "of", "at"]))
    };
    let own = mentions.iter().find(|m| m.at == at).map(|m| m.network);
    let place = mentions.iter().rfind(placed).filter(|m| Some(m.network) != own);
    if let Some(place) = place {
        return Some(Mediated { place: Some(place.network), at, end, line: false });
    }
    // "turn off Liftoff" alone: a network has no switch of its own, so this is about a source.
    let switched = matches!(write, Some(Write::Activate | Write::Deactivate))
        || tokens.iter().any(|t| t.any(&["pause", "resume", "unpause", "stop"]));
    let plain = |at: usize, token: &Token| {
        WRITES.at(tokens, at).is_some()
            || token.is_stop()
            || named.iter().any(|(from, to)| (*from..*to).contains(&at))
            || nouns.iter().any(|n| (n.at..n.end).contains(&at))
            || token.any(&[
                "off",
                "on",
                "please",
                "pls",
                "now",
                "everywhere",
                "completely",
                "again",
                "all",
                "the",
                "for",
            ])
    };
    let alone = switched && named.len() == 1 && tokens.iter().enumerate().all(|(at, token)| plain(at, token));
    alone.then_some(Mediated { place: None, at, end, line: false })
}

/// Reads a line of a waterfall, whatever network the line is named after: "the Fyber line in the waterfall of X", "floor of Fyber in the X
/// waterfall", "in the waterfall of X, Fyber to 0.7". The owner of the waterfall comes right before the word, or after "in" or "on".
fn line(tokens: &[Token], mentions: &[Mention], nouns: &[NounMention]) -> Option<Mediated> {
    let Some(waterfall) = nouns.iter().find(|n| n.noun == "waterfall") else {
        return priced(tokens, mentions);
    };
    let word = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.any(words));
    let before = |at: usize| tokens[..at].iter().rev().find(|t| !t.any(&["the", "our", "my", "this", "that"]));
    let led = |at: usize| before(at).is_some_and(|t| t.any(&["in", "on", "at", "from", "inside", "within"]));
    let owns = |m: &Mention| mediates(m.network) && (m.end == waterfall.at || led(m.at));
    let others = OTHER_SOURCES.all(tokens);
    let mut named: Vec<(usize, usize)> = mentions.iter().filter(|m| !owns(m)).map(|m| (m.at, m.end)).collect();
    named.extend(others.iter().map(|found| (found.at, found.end())));
    named.sort_unstable();
    let within = |from: usize, to: usize| (from..to).any(|at| word(at, &["in", "inside", "within", "from", "of"]));
    let is_line = |(at, end): (usize, usize)| {
        let called = word(end, &["line", "lines", "entry", "floor", "price", "cpm", "ecpm"]);
        let first = waterfall.end <= at && !led(at);
        called || first || end <= waterfall.at && within(end, waterfall.at)
    };
    let (at, end) = named.into_iter().find(|span| is_line(*span))?;
    let own = mentions.iter().find(|m| m.at == at).map(|m| m.network);
    let place = mentions.iter().find(|m| owns(m) && Some(m.network) != own).map(|m| m.network);
    Some(Mediated { place, at, end, line: true })
}

/// Reads the price of a source: "the CPM of Chartboost for X", "the price of Fyber for X in MAX". If the source is one of our networks, the
/// text must name the mediator, because otherwise the network's own price could be meant.
fn priced(tokens: &[Token], mentions: &[Mention]) -> Option<Mediated> {
    let word = |at: Option<usize>, words: &[&str]| at.and_then(|at| tokens.get(at)).is_some_and(|t| t.any(words));
    let of_price = |at: usize| {
        word(at.checked_sub(1), &["of", "for"]) && word(at.checked_sub(2), &["cpm", "ecpm", "price", "floor", "bid"])
            || word(at.checked_sub(1), &["the"]) && word(at.checked_sub(2), &["of", "for"])
    };
    let price_of = |at: usize, end: usize| of_price(at) || word(Some(end), &["cpm", "ecpm", "price", "floor"]);
    let led = |at: usize| word(at.checked_sub(1), &["in", "on", "at"]);
    let place = |own: Option<Network>| {
        let of = mentions.iter().find(|m| mediates(m.network) && Some(m.network) != own && led(m.at));
        of.map(|m| m.network)
    };
    let other = OTHER_SOURCES.all(tokens).into_iter().find(|found| price_of(found.at, found.end()));
    if let Some(found) = other {
        return Some(Mediated { place: place(None), at: found.at, end: found.end(), line: true });
    }
    let own = mentions.iter().find(|m| price_of(m.at, m.end) && !led(m.at))?;
    let place = place(Some(own.network))?;
    Some(Mediated { place: Some(place), at: own.at, end: own.end, line: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::reading::Reading;

    #[test]
    fn what_is_named_before_a_mediation_is_a_source_in_it() {
        let today = jiff::civil::date(2026, 11, 21);
        for (text, place, noun, source) in [
            ("turn off liftoff in levelplay", Some(Network::Unity), "instance", "liftoff"),
            ("turn off Liftoff in AdMob", Some(Network::AdMob), "mediation_group", "liftoff"),
            ("pause unity in max", Some(Network::AppLovin), "waterfall", "unity"),
            ("disable Pangle in FairBid", Some(Network::DtExchange), "instance", "pangle"),
            ("disable applovin in mintegral", Some(Network::Mintegral), "mediation_group", "applovin"),
            ("switch Meta off in LevelPlay", Some(Network::Unity), "instance", "meta"),
            ("turn off Liftoff", None, "mediation_group", "liftoff"),
        ] {
            let reading = Reading::new(text, today, &[]);
            assert_eq!(reading.mediated.map(|m| (m.place, m.noun())), Some((place, noun)), "{text}");
            assert_eq!(reading.sources, [source], "{text}");
            assert_eq!(reading.services, place.into_iter().collect::<Vec<_>>(), "{text}");
        }
        for (text, place, noun, source) in [
            ("set the floor of the Fyber line in the waterfall of Puzzle Game to 0.7", None, "bidder", "dtexchange"),
            ("floor of Fyber in the waterfall of Puzzle Game to 0,7", None, "bidder", "dtexchange"),
            ("pon el floor de Fyber en el waterfall de Puzzle Game a 0,7", None, "bidder", "dtexchange"),
            ("setz den Preis von Liftoff im Waterfall von Puzzle Game auf 3,5", None, "bidder", "liftoff"),
            ("in the waterfall of Puzzle Game set DT Exchange to 0.7", None, "bidder", "dtexchange"),
            (
                "lower Fyber in the MAX waterfall of Puzzle Game to 0.7",
                Some(Network::AppLovin),
                "waterfall",
                "dtexchange",
            ),
            (
                "lower Fyber in the waterfall of Puzzle Game in LevelPlay to 0.7",
                Some(Network::Unity),
                "instance",
                "dtexchange",
            ),
            ("change the CPM of Chartboost for Puzzle Game iOS Rewarded to 5.5", None, "bidder", "chartboost"),
            (
                "change the CPM of Fyber for Puzzle Game iOS Rewarded in MAX to 6",
                Some(Network::AppLovin),
                "waterfall",
                "dtexchange",
            ),
        ] {
            let reading = Reading::new(text, today, &[]);
            assert_eq!(reading.mediated.map(|m| (m.place, m.noun())), Some((place, noun)), "{text}");
            assert_eq!(reading.sources, [source], "{text}");
            assert_eq!(reading.services, place.into_iter().collect::<Vec<_>>(), "{text}");
        }
        for text in [
            "set the floor of Pangle for Main Menu Banner to 3",
            "set the Pangle floor of Main Menu Banner to 3",
            "pause the Liftoff placement Extra Life in Puzzle Game",
            "turn off the Unity banner ad unit",
            "Liftoff revenue in LevelPlay",
            "pause AppLovin in Android Rewarded Tier 1",
            "which networks are off in LevelPlay",
            "set the waterfall floor of Main Menu Banner in Pangle to 3",
            "show the waterfall of Puzzle Game with Fyber",
        ] {
            assert_eq!(Reading::new(text, today, &[]).mediated, None, "{text}");
        }
    }
}
