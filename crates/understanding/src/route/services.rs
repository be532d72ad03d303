//! Decides which networks a text asks, and which it names only as demand sources in another network's mediation.

use adagent_domain::Network;

use super::reading::{Mention, Reading};
use crate::types::Capability;
use crate::vocab::networks::OTHER_SOURCES;
use crate::vocab::nouns;

/// Checks whether the text names this network as a demand source.
fn source_role(reading: &Reading, mention: &Mention) -> bool {
    let tokens = &reading.tokens;
    let mut next = mention.end;
    // "AppLovin and Unity as bidders": skip to what follows the list.
    while next < tokens.len()
        && (tokens[next].any(&["and", "or"])
            || tokens[next].is_punct(',')
            || reading.mentions.iter().any(|m| (m.at..m.end).contains(&next)))
    {
        next += 1;
    }
    let after = |n: usize| tokens.get(next + n);
    let bidder = after(0).is_some_and(|t| {
        t.any(&["bidding", "bidder", "bid", "adapter", "instance", "off", "zone"])
            || t.is("placement")
                && tokens[..mention.at].iter().any(|t| t.any(&["map", "link", "mapped", "mapping", "hook", "connect"]))
    }) || (after(0).is_some_and(|t| t.any(&["as", "on"]))
        && after(1).is_some_and(|t| t.any(&["a", "bidder", "bidding", "source"]))
        && (after(1).is_some_and(|t| t.any(&["bidder", "bidding", "source"]))
            || after(2).is_some_and(|t| t.any(&["bidder", "bidding", "source", "waterfall", "demand"]))))
        || (after(0).is_some_and(|t| t.any(&["switched", "turned"]))
            && after(1).is_some_and(|t| t.any(&["off", "on"])));
    if bidder || in_group(reading, mention) {
        return true;
    }
    // "enable AdMob group X": AdMob owns the group.
    let owns = |n: &super::reading::NounMention| {
        n.at == mention.end && n.noun == "mediation_group" && nouns::owners(n.noun, "update").contains(&mention.network)
    };
    if mention.network == Network::AdMob && reading.nouns.iter().any(owns) {
        return false;
    }
    let mut i = mention.at;
    while i > 0
        && (tokens[i - 1].any(&["and", "the", "an", "a", "or"])
            || tokens[i - 1].is_punct(',')
            || reading.mentions.iter().any(|m| (m.at..m.end).contains(&(i - 1)) && m.at != mention.at))
    {
        i -= 1;
    }
    let before = i.checked_sub(1).map(|k| &tokens[k]);
    let instance = reading.nouns.iter().any(|n| matches!(n.noun, "instance") && n.end <= i && i - n.end <= 1);
    before.is_some_and(|t| {
        t.any(&[
            "with", "without", "disable", "enable", "add", "adding", "remove", "drop", "exclude", "off", "get", "gets",
            "tirando",
        ])
    }) && reading.capability() != Some(Capability::Inventory)
        || (instance && before.is_some_and(|t| t.any(&["of", "for"])))
}

/// Checks whether a network comes before the group that it is changed in: "pause AppLovin in the banner group", "take Unity out of group
/// 12".
fn in_group(reading: &Reading, mention: &Mention) -> bool {
    let placed = reading.tokens.get(mention.end).is_some_and(|t| t.any(&PLACED));
    let group = |noun: &super::reading::NounMention| noun.noun == "mediation_group" && noun.at > mention.end;
    // In "a group for Unity in AdMob", the network belongs to the group named before it.
    let first = |noun: &super::reading::NounMention| noun.noun == "mediation_group" && noun.end <= mention.at;
    reading.write.is_some()
        && mention.network != Network::AdMob
        && placed
        && reading.nouns.iter().any(group)
        && !reading.nouns.iter().any(first)
}

const PLACED: [&str; 5] = ["in", "from", "out", "inside", "within"];

/// Checks whether the text changes a network inside a group, also if "bidding" comes in between or the group comes first: "in the banner
/// group, pause AppLovin".
pub(crate) fn inside_group(reading: &Reading) -> bool {
    let tokens = &reading.tokens;
    let word = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|t| t.any(words));
    let group = |behind: &dyn Fn(usize) -> bool| {
        reading.nouns.iter().any(|noun| noun.noun == "mediation_group" && behind(noun.at))
    };
    let bids = |mention: &Mention| {
        word(mention.end, &["bidding", "bidder"]) && word(mention.end + 1, &PLACED) && group(&|at| at > mention.end)
    };
    let first = |mention: &Mention| word(0, &["in"]) && group(&|at| at < mention.at);
    reading.mentions.iter().any(|mention| {
        let source = mention.network != Network::AdMob && reading.write.is_some();
        source && (in_group(reading, mention) || bids(mention) || first(mention))
    })
}

/// Checks whether the network is a part of the thing and not its owner: "which mediation groups use AppLovin", "is Pangle in any group".
fn member(reading: &Reading, mention: &Mention) -> bool {
    let words = ["use", "uses", "using", "contain", "include", "have", "has", "run", "runs", "call", "calls"];
    let before = mention.at.checked_sub(1).is_some_and(|i| reading.tokens[i].any(&words));
    let after = reading.tokens.get(mention.end).is_some_and(|t| t.any(&["in", "used", "part", "bidding", "listed"]));
    before || after
}

/// Takes each network next to a group as demand in it, except the mediator itself: "… in AdMob".
fn beside_group(reading: &Reading, services: &mut Vec<Network>, sources: &mut Vec<Network>) {
    let group = reading.noun.map_or(0, |n| n.end);
    for m in &reading.mentions {
        let before = m.at.checked_sub(1).map(|i| &reading.tokens[i]);
        let placed = m.at >= group && before.is_some_and(|t| t.any(&["in", "on", "inside"]));
        // "the MAX waterfall of X": the network right before the word owns the waterfall.
        let owned = reading.nouns.iter().any(|n| n.noun == "waterfall" && n.at == m.end);
        if m.network == Network::AdMob || placed || owned {
            services.push(m.network);
        } else {
            sources.push(m.network);
        }
    }
}

/// Picks the network whose mediation setup a text is about. The other networks are demand.
fn in_mediation(reading: &Reading, noun: Option<&str>, services: &mut Vec<Network>, sources: &mut Vec<Network>) {
    let mentions = &reading.mentions;
    let owners = nouns::owners(noun.unwrap_or(""), "read");
    let mut able: Vec<Mention> = Vec::new();
    for m in mentions {
        // "add a Unity instance to placement 12": Unity is demand at the network of the placement.
        let elsewhere = reading.write.is_some() && reading.nouns.iter().any(|n| n.noun == "placement");
        let own = noun == Some("instance") && mentions.len() == 1 && !elsewhere && owners.contains(&m.network);
        if source_role(reading, m) && !own
            || (!owners.contains(&m.network) && (mentions.len() > 1 || reading.write.is_some() || member(reading, m)))
        {
            sources.push(m.network);
        } else {
            able.push(*m);
        }
    }
    // "link the AdMob unit with the Unity placement": the first network is the one whose setup changes, unless the text places another one.
    if able.len() > 1 {
        let placed = able.iter().find(|m| {
            let before = m.at.checked_sub(1).map(|i| &reading.tokens[i]);
            let skip = before.is_some_and(|t| t.any(&["the", "our", "my"]));
            let before = if skip { m.at.checked_sub(2).map(|i| &reading.tokens[i]) } else { before };
            before.is_some_and(|t| t.any(&["in", "on", "at", "inside"]))
                || reading.tokens.get(m.end).is_some_and(|t| t.is_punct(':'))
                // "the Tower Blast AdMob waterfall": the owner comes right before the word.
                || reading.nouns.iter().any(|n| n.at == m.end && matches!(n.noun, "waterfall" | "mediation_group"))
        });
        let asked_both = reading.write.is_none() && reading.has(&["and", "vs", "both"]) && placed.is_none();
        if !asked_both {
            let first = placed.copied().unwrap_or(able[0]);
            sources.extend(able.iter().filter(|m| m.network != first.network).map(|m| m.network));
            able = vec![first];
        }
    }
    services.extend(able.iter().map(|m| m.network));
}

/// Splits the networks of a text into those it asks and demand sources.
pub(crate) fn assign(reading: &mut Reading) {
    let capability = reading.capability();
    let noun = reading.noun.map(|n| n.noun);
    let inside = matches!(capability, Some(Capability::Mediation | Capability::Experiments));
    let mut services: Vec<Network> = Vec::new();
    let mut sources: Vec<Network> = Vec::new();
    let mentions = reading.mentions.clone();
    if let Some(found) = reading.mediated {
        services.extend(found.place);
        sources.extend(mentions.iter().map(|m| m.network).filter(|network| Some(*network) != found.place));
    } else if reading.implied {
        beside_group(reading, &mut services, &mut sources);
    } else if inside && noun.is_some_and(|n| !reading_is_figures(reading, n)) {
        in_mediation(reading, noun, &mut services, &mut sources);
    } else {
        let mediated = reading.has(&[
            "mediation",
            "inside",
            "within",
            "bidder",
            "waterfall",
            "mediated",
            "source",
            "demand",
            "via",
            "through",
        ]);
        let runs_mediation = |m: &&Mention| {
            matches!(m.network, Network::AdMob | Network::AppLovin | Network::Unity | Network::DtExchange)
        };
        let inside_admob = mentions.iter().find(|m| m.network == Network::AdMob).filter(|m| {
            m.at.checked_sub(1).is_some_and(|i| reading.tokens[i].any(&["in", "inside", "within", "through", "via"]))
        });
        let mediator = mentions
            .iter()
            .filter(runs_mediation)
            .find(|m| reading.tokens.get(m.end).is_some_and(|t| t.is("mediation")))
            // "how much did Unity drop in AdMob": the mediator comes after "in".
            .or(inside_admob)
            .or_else(|| mentions.iter().find(runs_mediation))
            .copied();
        let from = |m: &Mention| {
            m.at.checked_sub(1)
                .is_some_and(|i| reading.tokens[i].any(&["from", "via", "through", "excluding", "except", "without"]))
        };
        // "eCPM of Unity in our mediation": the workspace knows whose mediation it is.
        let own_mediation = reading.tokens.windows(3).any(|w| {
            w[0].any(&["in", "inside", "within", "through", "via", "across"])
                && w[1].any(&["our", "my", "the"])
                && w[2].any(&["mediation", "group", "waterfall"])
        });
        let foreign = mentions.iter().all(|m| m.network != Network::AdMob);
        for m in &mentions {
            let other = mediator.is_some_and(|x| x.network != m.network);
            let separate =
                mentions.len() > 1 && other && reading.tokens.get(m.end).is_none_or(|t| !t.any(&["mediation"]));
            let owner_first = mediator.is_some_and(|x| {
                x.at < m.at
                    || reading.tokens.get(x.end).is_some_and(|t| t.is("mediation"))
                    || x.at > 0 && reading.tokens[x.at - 1].any(&["in", "inside", "on", "through", "via", "within"])
            });
            let placement_of = reading.tokens.get(m.end).is_some_and(|t| t.any(&["placement", "zone"]))
                && reading.has(&["map", "link", "mapped", "mapping"]);
            if foreign && own_mediation
                || inside_admob.is_some() && other && !reading.has(&["network", "both"])
                || separate
                    && owner_first
                    && (mediated && !reading.has(&["network", "both", "compare"]) || from(m) && !reading.has(&["and"]))
                || (separate && placement_of)
            {
                sources.push(m.network);
            } else {
                services.push(m.network);
            }
        }
    }
    // "the floor of Main Menu Banner on Pangle", "the Pangle floor of Main Menu Banner": the network of the ad unit comes after "on" or
    // before the price.
    if services.is_empty() && reading.write.is_some() && reading.mediated.is_none() {
        let placed = |m: &&Mention| {
            let before = m.at.checked_sub(1).map(|i| &reading.tokens[i]);
            let price = reading.tokens.get(m.end).is_some_and(|t| t.any(&["floor", "price", "cpm", "ecpm"]));
            reading.holders.contains(&m.network) && (price || before.is_some_and(|t| t.any(&["in", "on", "at"])))
        };
        services.extend(mentions.iter().filter(placed).map(|m| m.network));
    }
    // IDs and things that only one network has name that network.
    if services.is_empty() && reading.ids.iter().any(|id| id.starts_with("ca-app-pub-") || id.starts_with("pub-")) {
        services.push(Network::AdMob);
    }
    services.sort_by_key(|n| n.id());
    services.dedup();
    sources.retain(|s| !services.contains(s));
    reading.sources = sources.iter().map(|n| n.id()).collect();
    let others = OTHER_SOURCES.all(&reading.tokens);
    reading.sources.extend(others.iter().map(|f| f.what));
    reading.sources.sort_unstable();
    reading.sources.dedup();
    reading.services = services;
}

/// Checks whether a mediation word belongs to a question about numbers ("revenue by mediation group") and not about the setup.
fn reading_is_figures(reading: &Reading, noun: &str) -> bool {
    reading.write.is_none()
        && matches!(noun, "ad_source" | "instance" | "mediation_group" | "bidder" | "waterfall")
        && crate::vocab::metrics::METRICS
            .all(&reading.tokens)
            .iter()
            .any(|f| !matches!(f.what, "fills" | "requests" | "starts"))
}
