//! Picks what a text is about among all the things that it names.
//!
//! This module looks only at words and their order. Other modules decide which network has such a thing.

use adagent_domain::Network;

use super::ad_manager;
use super::reading::{Mention, NounMention, is_id};
use crate::text::{Kind, Token};
use crate::vocab::metrics::METRICS;
use crate::vocab::nouns;
use crate::vocab::verbs::Write;

/// Drops words that only describe another noun: "bidding" in "bidding placement", "Game" in "Puzzle Game".
pub(super) fn settled(tokens: &[Token], nouns: Vec<NounMention>) -> Vec<NounMention> {
    let nouns = without_names(tokens, nouns);
    let others = nouns.iter().any(|n| !(n.noun == "bidder" && tokens[n.at].norm == "bidding"));
    // "report operation 12", "order line items": of two adjacent nouns, the first only says the kind of the second.
    let starts: Vec<usize> = nouns.iter().map(|n| n.at).collect();
    nouns
        .into_iter()
        .filter(|n| {
            let bidding = n.noun == "bidder" && tokens[n.at].norm == "bidding" && others;
            let name = n.noun == "app"
                && n.end == n.at + 1
                && tokens[n.at].capital
                && n.at > 0
                && tokens[n.at - 1].capital
                && tokens[n.at - 1].kind == Kind::Word
                && tokens[n.at].is("game");
            let kind = !n.plural && !n.has_id && starts.contains(&n.end);
            !bidding && !name && !kind
        })
        .collect()
}

/// Drops nouns that are part of a name. In "order House campaigns" or "the Winter campaigns order", capitalized words next to a kind of
/// thing in lowercase are the name of one such thing, whatever else they could mean.
fn without_names(tokens: &[Token], nouns: Vec<NounMention>) -> Vec<NounMention> {
    let small = |n: &NounMention| n.at > 0 && !tokens[n.at].capital && !n.plural && !n.has_id;
    let name = |n: &NounMention| n.at > 0 && tokens[n.at].capital && !n.has_id;
    let named = |kind: &NounMention, other: &NounMention| small(kind) && name(other);
    let mut kept: Vec<NounMention> = Vec::with_capacity(nouns.len());
    for noun in nouns {
        match kept.last_mut().filter(|before| before.end == noun.at) {
            Some(before) if named(before, &noun) => before.has_id = true,
            Some(before) if before.plural && named(&noun, before) => *before = NounMention { has_id: true, ..noun },
            _ => kept.push(noun),
        }
    }
    kept
}

/// Checks whether the text asks for a setting, whatever else it names: "in what currency are the earnings reported".
pub(crate) fn asks_setting(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, t)| {
        t.any(&["currency", "timezone", "zone"])
            && !tokens.get(at + 1).is_some_and(|n| n.any(&["earn", "earns", "has", "had", "bring"]))
            && tokens[at.saturating_sub(4)..at].iter().any(|w| w.any(&["what", "which", "whats"]))
    })
}

/// Returns what the text is about. The verb counts too: linking two things makes a mapping.
pub(super) fn about(
    tokens: &[Token],
    nouns: &[NounMention],
    mentions: &[Mention],
    write: Option<(Write, usize)>,
) -> Option<NounMention> {
    let any = |noun: &str| nouns.iter().find(|n| n.noun == noun);
    if let Some(found) =
        ad_manager::thing(tokens, nouns, mentions, write).or_else(|| mapping(tokens, nouns, mentions, write))
    {
        return Some(found);
    }
    let asked = |words: &[&str]| tokens.iter().any(|t| t.any(words));
    // "what networks can I add as bidders" asks for networks that could bid, not for those that do.
    if write.is_none()
        && let Some(n) = any("bidder")
        && asked(&["network", "partner"])
        && asked(&["can", "could", "available", "supported", "possible"])
    {
        return Some(NounMention { noun: "ad_source", ..*n });
    }
    // "what time zone are the reports in"
    let setting = |n: &&NounMention| {
        n.noun == "account" && tokens[n.at..n.end].iter().any(|t| t.any(&["timezone", "zone", "currency"]))
    };
    if write.is_none()
        && let Some(n) = nouns.iter().find(setting)
        && (METRICS.all(tokens).is_empty() && asked(&["what", "which", "is", "are"]) || asks_setting(tokens))
    {
        return Some(*n);
    }
    if write.is_some()
        && let Some(n) = any("report").filter(|n| n.has_id || any("report_run").is_none())
    {
        return Some(*n);
    }
    if let Some(found) = ad_manager::people_or_network(tokens, nouns, mentions) {
        return Some(found);
    }
    // "include the new unit in 'US Rewarded'" puts an existing thing somewhere and creates nothing.
    if let Some((Write::Update, at)) = write
        && tokens[at].any(&["include", "put", "move", "assign"])
        && any("ad_unit").is_some_and(|n| n.at > at)
        && let Some(end) = (at..tokens.len())
            .rev()
            .find(|i| tokens[*i].kind == Kind::Literal && tokens[i - 1].any(&["in", "to", "into", "under", "group"]))
    {
        return Some(NounMention { noun: "mediation_group", at: end, end: end + 1, has_id: true, plural: false });
    }
    if let Some(found) = cast(tokens, nouns, mentions).filter(|_| matches!(write, Some((Write::Create, _)))) {
        return Some(found);
    }
    if let Some(found) = put_into(tokens, nouns, write).or_else(|| topic(tokens, nouns, write)) {
        return Some(found);
    }
    if let Some(found) = pick_noun(tokens, nouns, write.map(|w| w.1)) {
        return Some(found);
    }
    unnamed(tokens, mentions, write)
}

/// Returns a mapping if the text links two things, or asks what a thing is linked to.
fn mapping(
    tokens: &[Token],
    nouns: &[NounMention],
    mentions: &[Mention],
    write: Option<(Write, usize)>,
) -> Option<NounMention> {
    let any = |noun: &str| nouns.iter().find(|n| n.noun == noun);
    let renamed = |n: &NounMention, noun: &'static str| Some(NounMention { noun, has_id: false, ..*n });
    let link = matches!(write, Some((Write::Link, _)));
    let linked = link || tokens.iter().any(|t| t.any(&["linked", "mapped", "mapping"]));
    if linked && let Some(n) = any("taxonomy_category") {
        let ids = any("entity_signals_mapping").or_else(|| any("ad_unit_mapping"));
        return Some(NounMention { noun: "entity_signals_mapping", has_id: ids.is_some_and(|m| m.has_id), ..*n });
    }
    if linked && any("entity_signals_mapping").is_some() {
        return any("entity_signals_mapping").copied();
    }
    if (link || any("ad_unit_mapping").is_some() && write.is_none())
        && let Some(n) = any("ad_unit_mapping")
            .or_else(|| any("ad_unit"))
            .or_else(|| any("placement"))
            .or_else(|| any("ad_slot").filter(|_| tokens.iter().any(|t| t.norm.starts_with("ca-app-pub-"))))
    {
        return renamed(n, "ad_unit_mapping");
    }
    // "which Liftoff placement is behind AdMob unit 630": a unit of one network and a placement of another.
    let two =
        mentions.iter().any(|m| m.network == Network::AdMob) && mentions.iter().any(|m| m.network != Network::AdMob);
    if write.is_none()
        && two
        && any("placement").or_else(|| any("ad_slot")).is_some()
        && METRICS.all(tokens).is_empty()
        && let Some(n) = any("ad_unit").filter(|n| n.has_id)
    {
        return renamed(n, "ad_unit_mapping");
    }
    let asked = |words: &[&str]| tokens.iter().any(|t| t.any(words));
    // "to which placements is the unit linked", "what is the unit mapped to"
    if write.is_none()
        && asked(&["linked", "mapped"])
        && let Some(n) = any("ad_unit")
        && (any("placement").is_some() || asked(&["to"]))
        && !asked(&["deal", "order"])
    {
        return Some(NounMention { noun: "ad_unit_mapping", ..*n });
    }
    // "and what is the first one mapped to"
    if write.is_none()
        && nouns.is_empty()
        && asked(&["what", "which", "where", "is", "are"])
        && let Some(at) = tokens.iter().position(|t| t.is("mapped"))
    {
        return Some(NounMention { noun: "ad_unit_mapping", at, end: at + 1, has_id: false, plural: false });
    }
    None
}

/// Returns what a thing becomes: "register my tablet as a test device".
fn cast(tokens: &[Token], nouns: &[NounMention], mentions: &[Mention]) -> Option<NounMention> {
    let article = |at: usize| {
        tokens[at].any(&["a", "an", "the", "our", "new"]) || mentions.iter().any(|m| (m.at..m.end).contains(&at))
    };
    let after_as = |n: &&NounMention| {
        tokens[..n.at].iter().rposition(|t| t.is("as")).is_some_and(|at| (at + 1..n.at).all(article))
    };
    nouns.iter().find(after_as).copied()
}

/// Returns an existing thing that the text puts into another one: "add ad unit 12 to placement 34". That thing is what changes.
pub(super) fn put_into(tokens: &[Token], nouns: &[NounMention], write: Option<(Write, usize)>) -> Option<NounMention> {
    let (_, at) = write?;
    if !tokens[at].any(&["add", "put", "insert", "include", "assign", "move", "attach"]) {
        return None;
    }
    let id = |n: &&NounMention| n.has_id && tokens[n.end..].iter().take(3).any(is_id);
    let thing = nouns.iter().find(|n| n.at > at).filter(id)?;
    nouns
        .iter()
        .find(|n| {
            n.at > thing.end
                && n.has_id
                && nouns::depth(n.noun) >= 3
                && tokens[thing.end..n.at].iter().any(|t| t.any(&["to", "into", "in", "under"]))
        })
        .copied()
}

/// Returns the whole if the text asks for a part or an attribute of it: "the trafficker of order 12". We read both from the whole.
fn owner_of(nouns: &[NounMention], tokens: &[Token]) -> Option<NounMention> {
    let [part, whole, ..] = nouns else { return None };
    // "which videos does content bundle 12 hold": we read the parts of a thing from the thing.
    let holds = |part: &NounMention, whole: &NounMention| {
        let pair = matches!(
            (part.noun, whole.noun),
            ("ad_unit", "placement") | ("content", "content_bundle") | ("creative", "creative_set") | ("user", "team")
        );
        pair && !part.has_id && whole.has_id
    };
    if holds(part, whole) {
        return Some(*whole);
    }
    if holds(whole, part) {
        return Some(*part);
    }
    let attribute =
        matches!(part.noun, "user" | "role" | "company" | "contact" | "label" | "account" | "ad_unit_size" | "floor");
    let between = tokens.get(part.end..whole.at)?;
    let joined = between.len() <= 4 && between.iter().any(|t| t.any(&["of", "on", "for"]));
    let each = tokens[..part.at].iter().rev().take(2).any(|t| t.any(&["every", "each", "all", "any", "which"]));
    (attribute && !part.plural && !part.has_id && !each && whole.has_id && joined).then_some(*whole)
}

/// Returns the thing that the text names before it asks about it: "user 90011 – which role do they have".
fn topic(tokens: &[Token], nouns: &[NounMention], write: Option<(Write, usize)>) -> Option<NounMention> {
    if let Some(owner) = owner_of(nouns, tokens).filter(|_| write.is_none()) {
        return Some(owner);
    }
    let first = nouns.first().filter(|n| n.has_id && write.is_none())?;
    let id = (first.end..tokens.len()).find(|i| is_id(&tokens[*i]) || tokens[*i].kind == Kind::Literal)?;
    let set_apart = tokens.get(id + 1).is_some_and(|t| matches!(t.kind, Kind::Punct(':' | '–' | '-' | ',' | '?')));
    let rest = &nouns[1..];
    let attributes = !rest.is_empty() && rest.iter().all(|n| !n.plural && !n.has_id);
    (first.at <= 3 && set_apart && attributes && METRICS.all(tokens).is_empty()).then_some(*first)
}

/// Returns what a text without any noun is about, by the kind of name or ID in it.
fn unnamed(tokens: &[Token], mentions: &[Mention], write: Option<(Write, usize)>) -> Option<NounMention> {
    // "is com.acme.puzzle already there": a package name is an app.
    if write.is_none()
        && METRICS.all(tokens).is_empty()
        && tokens.first().is_some_and(|t| {
            t.any(&["is", "are", "do", "does", "have", "find", "which", "what", "show", "whats", "look", "where"])
        })
        && let Some(at) = tokens.iter().position(|t| is_id(t) && t.norm.matches('.').count() >= 2)
    {
        return Some(NounMention { noun: "app", at, end: at + 1, has_id: true, plural: false });
    }
    // "Add 'Snake Loop' to Unity": a name alone is an app. An ID alone is an ad unit of MAX.
    let (kind, at) = write?;
    let name =
        tokens.iter().skip(at).position(|t| t.kind == Kind::Literal || (t.kind == Kind::Id && t.norm.contains('.')));
    if kind == Write::Create
        && let Some(offset) = name
    {
        return Some(NounMention { noun: "app", at: at + offset, end: at + offset + 1, has_id: false, plural: false });
    }
    // "rename 'Old' to 'New'": we take it for a group, because groups are the only things we can rename everywhere.
    let quoted: Vec<usize> = (at..tokens.len()).filter(|i| tokens[*i].kind == Kind::Literal).collect();
    if kind == Write::Update
        && tokens[at].any(&["rename", "retitle"])
        && let [first, _] = quoted[..]
        && mentions.iter().all(|m| m.network == Network::AdMob)
    {
        return Some(NounMention { noun: "mediation_group", at: first, end: first + 1, has_id: true, plural: false });
    }
    let id = tokens.iter().position(is_id)?;
    mentions.iter().any(|m| m.network == Network::AppLovin).then_some(NounMention {
        noun: "ad_unit",
        at: id,
        end: id + 1,
        has_id: true,
        plural: false,
    })
}

/// Picks the object of the verb, else the first noun that is not a place, else the deepest noun.
fn pick_noun(tokens: &[Token], nouns: &[NounMention], verb: Option<usize>) -> Option<NounMention> {
    if let Some(at) = verb {
        let after: Vec<&NounMention> = nouns.iter().filter(|n| n.at >= at && n.at - at <= 8).collect();
        // "new in-app bidding interstitial placement": after "new", a long description may come before the noun.
        let reach = if tokens[at].is("new") { 7 } else { 5 };
        if let Some(first) = after.iter().find(|n| !container(tokens, n) && n.at - at <= reach) {
            return Some(**first);
        }
        if let Some(first) = after.first() {
            return Some(**first);
        }
    }
    let free: Vec<&NounMention> = nouns.iter().filter(|n| !n.has_id).collect();
    if let Some(first) = free.iter().find(|n| !container(tokens, n)) {
        return Some(**first);
    }
    nouns.iter().max_by_key(|n| (nouns::depth(n.noun), std::cmp::Reverse(n.at))).copied()
}

/// Checks whether a noun only says where the thing is: "in app X", "of company Y", "for account Z".
fn container(tokens: &[Token], noun: &NounMention) -> bool {
    let mut i = noun.at;
    while i > 0
        && tokens[i - 1].any(&[
            "the",
            "a",
            "our",
            "my",
            "this",
            "that",
            "live",
            "levelplay",
            "admob",
            "unity",
            "liftoff",
            "pangle",
            "applovin",
            "gam",
            "max",
            "dt",
            "exchange",
            "inmobi",
            "mintegral",
            "new",
            "ad",
            "rewarded",
            "interstitial",
            "banner",
        ])
    {
        i -= 1;
    }
    i > 0
        && tokens[i - 1].any(&[
            "in", "of", "for", "on", "under", "inside", "from", "at", "into", "within", "to", "by", "with", "per",
            "out",
        ])
        && i > 1
}
