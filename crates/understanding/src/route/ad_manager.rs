//! Recognizes things of Ad Manager by how words combine: its review center, its users, its networks.
//!
//! This module must never decide for a text that asks for numbers.

use adagent_domain::Network;

use super::reading::{Mention, NounMention, is_id};
use crate::text::Token;
use crate::vocab::metrics::METRICS;
use crate::vocab::verbs::Write;

/// Returns the thing that certain words mean, whatever else the text names.
pub(super) fn thing(
    tokens: &[Token],
    nouns: &[NounMention],
    mentions: &[Mention],
    write: Option<(Write, usize)>,
) -> Option<NounMention> {
    let any = |noun: &str| nouns.iter().find(|n| n.noun == noun);
    // "creatives blocked in the Ad Review Center": everything there is one of its ads.
    if let Some(n) = any("ad_review_center_ad").filter(|n| n.end - n.at >= 2) {
        return Some(*n);
    }
    // "is creative 12 linked to any line items" asks about the association of the two.
    let joint =
        tokens.iter().any(|t| t.any(&["linked", "attached", "associated", "assigned", "associate", "assignment"]));
    if write.is_none_or(|(kind, _)| kind == Write::Link)
        && joint
        && let (Some(creative), Some(_)) = (any("creative"), any("line_item"))
    {
        return Some(NounMention { noun: "line_item_creative_association", has_id: false, plural: true, ..*creative });
    }
    // "GAM: list networks"
    if write.is_none()
        && METRICS.all(tokens).is_empty()
        && mentions.iter().any(|m| m.network == Network::AdManager)
        && mentions.iter().all(|m| m.network == Network::AdManager)
        && nouns.iter().all(|n| matches!(n.noun, "network" | "account"))
        && !tokens.iter().any(|t| t.is("user"))
        && let Some(at) = tokens.iter().position(|t| t.is("network"))
    {
        let has_id = tokens.get(at + 1).is_some_and(is_id);
        let plural = tokens[at].norm != tokens[at].stem;
        return Some(NounMention { noun: "network", at, end: at + 1, has_id, plural });
    }
    None
}

/// Recognizes its users and its networks. Other networks use other words for these.
pub(super) fn people_or_network(tokens: &[Token], nouns: &[NounMention], mentions: &[Mention]) -> Option<NounMention> {
    // "who are the users on our Ad Manager network" means people with access, unless a word such as "active" makes them an audience.
    let people = |at: usize| {
        tokens[at].is("user")
            && at
                .checked_sub(1)
                .is_none_or(|i| !tokens[i].any(&["active", "engaged", "per", "by", "daily", "new", "of"]))
    };
    if mentions.iter().any(|m| m.network == Network::AdManager)
        && METRICS.all(tokens).is_empty()
        && nouns.iter().all(|n| matches!(n.noun, "network" | "account" | "user"))
        && let Some(at) = (0..tokens.len()).find(|at| people(*at))
    {
        let has_id = tokens.get(at + 1).is_some_and(is_id);
        return Some(NounMention { noun: "user", at, end: at + 1, has_id, plural: tokens[at].norm != tokens[at].stem });
    }
    // "Ad Manager networks", "GAM user 330012"
    let ad_manager = mentions
        .iter()
        .find(|m| m.network == Network::AdManager && tokens.get(m.end).is_some_and(|t| t.any(&["network", "user"])));
    if let Some(m) = ad_manager
        && METRICS.all(tokens).is_empty()
    {
        let noun = if tokens[m.end].is("user") { "user" } else { "network" };
        let has_id = tokens.get(m.end + 1).is_some_and(is_id);
        if nouns.iter().all(|n| n.at > m.end || n.noun == "account") {
            return Some(NounMention { noun, at: m.end, end: m.end + 1, has_id, plural: !has_id });
        }
    }
    None
}
