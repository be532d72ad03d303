//! Finds names of connections in a text, for networks that have several connections: "AppLovin revenue in Games EU". This module must never
//! read a word as a name that no connection has.

use std::collections::BTreeMap;

use adagent_contract::{ConnectionName, NetworkState};
use adagent_domain::{Cut as _, Network};

use crate::text::tokens;
use crate::vocab::networks::NETWORKS;

/// The connections that a text names, by network.
pub type Named = BTreeMap<Network, Vec<String>>;

/// Words before a name that we drop together with it.
const LEADS: [&str; 14] = [
    "in",
    "on",
    "of",
    "from",
    "for",
    "through",
    "via",
    "at",
    "with",
    "use",
    "account",
    "accounts",
    "connection",
    "the",
];

/// Returns the labels of the connections that calls may use, for each network that has several.
pub fn several(connections: &[ConnectionName]) -> Named {
    of_several(connections, |one| matches!(one.state, NetworkState::Connected | NetworkState::AuthFailed))
}

/// Returns the labels of all connections, for each network that has several. Connections that are turned off or not finished count too,
/// because a person who names one of these means it and no other.
pub fn known(connections: &[ConnectionName]) -> Named {
    of_several(connections, |_| true)
}

fn of_several(connections: &[ConnectionName], counts: impl Fn(&ConnectionName) -> bool) -> Named {
    let mut all = Named::new();
    for one in connections.iter().filter(|one| counts(one)) {
        all.entry(one.network).or_default().push(one.label.clone());
    }
    all.retain(|_, labels| labels.len() > 1);
    all
}

/// Replaces the names of connections in a text with their networks, and returns the connections that the text named. If the text also names
/// the network, we only drop the name of the connection.
pub fn read(text: &str, known: &Named) -> (String, Named) {
    let mut named = Named::new();
    if known.is_empty() {
        return (text.to_owned(), named);
    }
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let mut labels: Vec<&String> = known.values().flatten().collect();
    labels.sort_by_key(|label| std::cmp::Reverse(label.chars().count()));
    labels.dedup();
    let mut taken: Vec<(usize, usize, &str)> = Vec::new();
    for label in labels {
        let wanted: Vec<char> = label.chars().map(small).collect();
        for at in 0..letters.len().saturating_sub(wanted.len() - 1) {
            let end = at + wanted.len();
            let here = letters[at..end].iter().map(|(_, letter)| small(*letter)).eq(wanted.iter().copied());
            let border = |letter: Option<&(usize, char)>| letter.is_none_or(|(_, letter)| !letter.is_alphanumeric());
            let free = taken.iter().all(|(from, to, _)| end <= *from || *to <= at);
            let alone = border(at.checked_sub(1).and_then(|at| letters.get(at))) && border(letters.get(end));
            if here && free && alone && is_meant(text, &letters, (at, end), label) {
                taken.push((at, end, label));
            }
        }
    }
    taken.sort_unstable();
    let spoken: Vec<Network> = NETWORKS.all(&tokens(text)).into_iter().map(|found| found.what).collect();
    let mut out = String::with_capacity(text.len());
    let byte = |at: usize| letters.get(at).map_or(text.len(), |(byte, _)| *byte);
    let mut done = 0;
    for (from, to, label) in taken {
        // We find labels in any case of letters, so each network's label keeps its own spelling here.
        let written: BTreeMap<Network, &String> = known
            .iter()
            .filter_map(|(network, all)| Some((*network, all.iter().find(|own| same(own, label))?)))
            .collect();
        let of: Vec<Network> = written.keys().copied().collect();
        let mut meant: Vec<Network> = of.iter().copied().filter(|network| spoken.contains(network)).collect();
        let said = !meant.is_empty();
        if !said {
            meant = of;
        }
        for network in &meant {
            let labels = named.entry(*network).or_default();
            if let Some(own) = written.get(network)
                && !labels.contains(own)
            {
                labels.push((*own).clone());
            }
        }
        push_rest(&mut out, text.cut(done..byte(from)));
        // The quotes around a name are dropped with it.
        let quoted = out.ends_with(['"', '“', '\'', '‘', '«']);
        if quoted {
            out.pop();
        }
        if said {
            drop_leads(&mut out);
        } else {
            let networks: Vec<&str> = meant.iter().map(|network| network.display_name()).collect();
            out.push_str(&networks.join(" and "));
        }
        done = byte(to);
        if quoted && text.cut(done..).starts_with(['"', '”', '\'', '’', '»']) {
            done += text.cut(done..).chars().next().map_or(0, char::len_utf8);
        }
    }
    push_rest(&mut out, text.cut(done..));
    (out.trim().to_owned(), named)
}

/// Appends the text after a name. If that name was dropped, drops one of the two spaces around it too.
fn push_rest(out: &mut String, rest: &str) {
    let twice = out.ends_with(' ') && rest.starts_with(' ');
    out.push_str(if twice { rest.trim_start_matches(' ') } else { rest });
}

fn same(one: &str, other: &str) -> bool {
    one.chars().map(small).eq(other.chars().map(small))
}

fn small(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

/// Checks whether this place in the text means the connection, because a label may also be a plain word. It does if it is in quotes, next
/// to a word such as "account", or all of an answer. Otherwise it must have several words, follow a network, or be spelled as the label
/// with its capitals.
fn is_meant(text: &str, letters: &[(usize, char)], (at, end): (usize, usize), label: &str) -> bool {
    let byte = |at: usize| letters.get(at).map_or(text.len(), |(byte, _)| *byte);
    let (before, written, after) = (text.cut(..byte(at)), text.cut(byte(at)..byte(end)), text.cut(byte(end)..));
    let word_before = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    let word_after = after.split_whitespace().next().unwrap_or_default().to_lowercase();
    let account =
        |word: &str| matches!(word.trim_matches(|c: char| !c.is_alphanumeric()), "account" | "accounts" | "connection");
    let quoted = before.ends_with(['"', '“', '\'', '‘', '«']);
    let answer = before.split_whitespace().all(|word| LEADS.contains(&word.to_lowercase().as_str()))
        && after.trim_matches(|c: char| !c.is_alphanumeric()).is_empty();
    if quoted || answer || account(&word_before) || account(&word_after) {
        return true;
    }
    let words = tokens(label);
    // A network's own name is the network, and a place or a store is a filter, unless quotes or a word such as "account" say otherwise.
    let network = NETWORKS.at(&words, 0).is_some_and(|(_, length)| length == words.len());
    if network || words.len() == 1 && crate::planner::restricts(label) {
        return false;
    }
    let follows_network = {
        let all = tokens(before);
        (0..all.len()).any(|from| NETWORKS.at(&all, from).is_some_and(|(_, length)| from + length == all.len()))
    };
    words.len() > 1 || follows_network || written == label && label.contains(char::is_uppercase)
}

/// Drops the words before a name: "revenue in the account " becomes "revenue ".
fn drop_leads(out: &mut String) {
    loop {
        let trimmed = out.trim_end();
        let start = trimmed.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        if !LEADS.contains(&trimmed.cut(start..).to_lowercase().as_str()) || trimmed.is_empty() {
            return;
        }
        out.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Named {
        [
            (Network::AppLovin, vec!["AppLovin".to_owned(), "Games EU".to_owned(), "Casual".to_owned()]),
            (Network::Unity, vec!["Casual".to_owned(), "Main".to_owned()]),
        ]
        .into()
    }

    fn of(text: &str) -> (String, Vec<(Network, Vec<String>)>) {
        let (text, named) = read(text, &two());
        (text, named.into_iter().collect())
    }

    #[test]
    fn a_name_says_its_network_or_stands_beside_it() {
        let eu = vec![(Network::AppLovin, vec!["Games EU".to_owned()])];
        assert_eq!(of("AppLovin revenue in Games EU yesterday"), ("AppLovin revenue yesterday".into(), eu.clone()));
        assert_eq!(of("revenue of games eu yesterday"), ("revenue of AppLovin yesterday".into(), eu.clone()));
        assert_eq!(of("AppLovin Games EU revenue"), ("AppLovin revenue".into(), eu.clone()));
        assert_eq!(of("In Games EU"), ("In AppLovin".into(), eu));
        assert_eq!(of("Unity revenue in Casual").1, [(Network::Unity, vec!["Casual".to_owned()])]);
        assert_eq!(of("revenue of Casual").1.len(), 2);
    }

    #[test]
    fn plain_words_and_networks_are_no_names() {
        assert_eq!(of("AppLovin revenue of casual games"), ("AppLovin revenue of casual games".into(), vec![]));
        assert_eq!(of("AppLovin revenue yesterday").1, []);
        assert_eq!(of("my main apps on Unity").1, []);
        // After we asked which account, the name alone means the account.
        assert_eq!(of("In AppLovin").1, [(Network::AppLovin, vec!["AppLovin".to_owned()])]);
        assert_eq!(of("the main account of Unity").1, [(Network::Unity, vec!["Main".to_owned()])]);
    }

    #[test]
    fn a_name_is_each_networks_own_whatever_its_letters() {
        let labels: Named = [
            (Network::AppLovin, vec!["Games EU".to_owned(), "Words".to_owned()]),
            (Network::Unity, vec!["Games eu".to_owned(), "Main".to_owned()]),
        ]
        .into();
        assert_eq!(
            read("Unity revenue in Games EU", &labels).1,
            [(Network::Unity, vec!["Games eu".to_owned()])].into()
        );
        let both = read("revenue of the GAMES EU account", &labels).1;
        assert_eq!(both[&Network::AppLovin], ["Games EU"]);
        assert_eq!(both[&Network::Unity], ["Games eu"]);
    }

    #[test]
    fn who_names_what_does_not_work_means_it_all_the_same() {
        let one = |label: &str, state| ConnectionName {
            network: Network::AppLovin,
            id: "00000000-0000-0000-0000-000000000001".parse().unwrap(),
            label: label.to_owned(),
            state,
            selected: true,
        };
        let all = [one("Games EU", NetworkState::Disabled), one("Words", NetworkState::Connected)];
        assert!(several(&all).is_empty());
        let (text, named) = read("AppLovin revenue in Games EU", &known(&all));
        assert_eq!((text.as_str(), &named[&Network::AppLovin]), ("AppLovin revenue", &vec!["Games EU".to_owned()]));
    }

    #[test]
    fn letters_that_change_their_length_do_no_harm() {
        let labels: Named = [(Network::Unity, vec!["İstanbul A".to_owned(), "B".to_owned()])].into();
        assert_eq!(read("ẞ revenue of İstanbul A ẞ", &labels).0, "ẞ revenue of Unity ẞ");
    }
}
