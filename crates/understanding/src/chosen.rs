//! A person's choice between readings of a question: each chip that offers a reading begins with that reading.

use std::borrow::Cow;

use adagent_domain::Network;

use crate::types::{Act, Meant, Question};

/// How the chip of each kind of reading begins, and the word before its networks.
const LEADS: [(Act, &str, &str); 5] = [
    (Act::Change, "Change it", " in "),
    (Act::Show, "Show it", " in "),
    (Act::Numbers, "Numbers", " from "),
    (Act::Details, "Details", " in "),
    (Act::Explain, "Explain it", " for "),
];

/// How our question begins if no reading is likely enough.
pub(crate) const NOT_SURE: &str = "I'm not sure what you mean, so I read nothing and changed nothing.";

/// The text for every network that is turned on.
const ALL: &str = "all networks";

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub act: Act,
    pub place: Place,
}

/// The networks of the chosen reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The choice says nothing about networks.
    Open,
    All,
    Named(Vec<Network>),
}

/// Returns the two chips for a question; the one that changes something comes first.
pub(crate) fn chips(question: &str) -> [String; 2] {
    [Act::Change, Act::Show].map(|act| chip(act, &Place::Open, question))
}

/// Returns the chip that offers a reading of a question. `every`: the reading is about all networks that are turned on.
pub(crate) fn of(meant: &Meant, every: bool, question: &str) -> String {
    let place = if every { Place::All } else { Place::Named(meant.services.clone()) };
    chip(meant.act, &place, question)
}

fn chip(act: Act, place: &Place, question: &str) -> String {
    let (_, lead, before) = LEADS.into_iter().find(|(other, ..)| *other == act).unwrap_or(LEADS[1]);
    let place = match place {
        Place::Named(networks) if !networks.is_empty() => format!("{before}{}", names(networks).join(", ")),
        Place::All => format!("{before}{ALL}"),
        Place::Open | Place::Named(_) => String::new(),
    };
    format!("{lead}{place}: {}", question.trim())
}

fn names(networks: &[Network]) -> Vec<&'static str> {
    networks.iter().map(|network| network.display_name()).collect()
}

/// Returns the choice that a text begins with, and the question it was made for.
fn chosen(text: &str) -> Option<(Choice, &str)> {
    let text = text.trim_start();
    LEADS.into_iter().find_map(|(act, lead, before)| {
        let rest = text.strip_prefix(lead)?;
        if let Some(question) = rest.strip_prefix(": ") {
            return Some((Choice { act, place: Place::Open }, question));
        }
        let (place, question) = rest.strip_prefix(before)?.split_once(": ")?;
        let place = if place == ALL { Place::All } else { Place::Named(networks(place)?) };
        Some((Choice { act, place }, question))
    })
}

/// Reads a list of networks by their display names.
fn networks(text: &str) -> Option<Vec<Network>> {
    text.split(", ").map(|name| Network::ALL.into_iter().find(|network| network.display_name() == name)).collect()
}

/// Returns the question without the choice.
pub(crate) fn plain(text: &str) -> &str {
    chosen(text).map_or(text, |(_, rest)| rest)
}

/// Returns the question with the networks that the person chose for it, so that a follow-up keeps them.
fn placed(text: &str) -> String {
    match chosen(text) {
        Some((Choice { place: Place::Named(networks), .. }, question)) if !networks.is_empty() => {
            format!("{}: {question}", names(&networks).join(", "))
        }
        Some((_, question)) => question.to_owned(),
        None => text.to_owned(),
    }
}

/// Returns the question with all choices taken out of its text and history, and the choice made for it.
pub(crate) fn settled(question: &Question) -> (Cow<'_, Question>, Option<Choice>) {
    let choice = chosen(&question.text).map(|(choice, _)| choice);
    if choice.is_none() && !question.history.iter().any(|entry| chosen(&entry.content).is_some()) {
        return (Cow::Borrowed(question), None);
    }
    let mut settled = question.clone();
    plain(&question.text).clone_into(&mut settled.text);
    for entry in settled.history.iter_mut().filter(|entry| entry.role == "user") {
        entry.content = placed(&entry.content);
    }
    (Cow::Owned(settled), choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chip_is_read_as_the_question_and_the_choice() {
        let [change, show] = chips(" banner refresh 20s ");
        let open = |act| Choice { act, place: Place::Open };
        assert_eq!(chosen(&change), Some((open(Act::Change), "banner refresh 20s")));
        assert_eq!(chosen(&show), Some((open(Act::Show), "banner refresh 20s")));
        assert_eq!(chosen("show it again"), None);
    }

    #[test]
    fn a_chip_keeps_the_networks_it_was_offered_for() {
        let two = vec![Network::AdMob, Network::DtExchange];
        let meant = |act| Meant { act, services: two.clone(), capability: crate::Capability::Inventory, noun: None };
        for act in [Act::Change, Act::Show, Act::Numbers, Act::Details, Act::Explain] {
            let chip = of(&meant(act), false, "in: 20s");
            assert_eq!(chosen(&chip), Some((Choice { act, place: Place::Named(two.clone()) }, "in: 20s")), "{chip}");
            let every = of(&meant(act), true, "x");
            assert_eq!(chosen(&every), Some((Choice { act, place: Place::All }, "x")), "{every}");
        }
        assert_eq!(chosen("Numbers from Mars: x"), None, "a network nobody knows is a part of the question");
        assert_eq!(placed("Numbers from Pangle: what fell"), "Pangle: what fell");
    }
}
