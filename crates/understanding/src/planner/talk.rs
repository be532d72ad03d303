//! Answers without numbers: small talk, refusals, what is missing, what would work. This must never promise what this build can't do.

use adagent_domain::Network;

use super::{
    Answer,
    format::{and, or, plain},
    read::Turn,
};
use crate::{Capability, MOST_READ};

pub(super) const EXAMPLES: [&str; 3] =
    ["What was my revenue yesterday?", "Top 5 countries by revenue, last 30 days", "List my mediation groups"];

pub(super) const MORE_EXAMPLES: [&str; 3] =
    ["eCPM by ad source, last 7 days", "Why did revenue change last week?", "Show my AdMob apps"];

fn names(networks: &[Network]) -> Vec<String> {
    networks.iter().map(|n| n.display_name().to_owned()).collect()
}

/// Everything that we can do.
const CAN: &str = "I can read your ad networks, show numbers exactly as they report them, list what you have there, and prepare \
     changes that are sent only after you approve them.";

/// Examples that fit any network, if the examples for other networks don't apply.
const ANYWHERE: [&str; 3] =
    ["Revenue by app, last 7 days", "Revenue by day, last 7 days", "How did yesterday compare to the day before?"];

/// Returns the networks that an example is about. Empty if any network can answer it.
fn owners(example: &str) -> &'static [Network] {
    const MEDIATORS: [Network; 4] = [Network::AdMob, Network::AppLovin, Network::Unity, Network::DtExchange];
    match example {
        "List my mediation groups" => &[Network::AdMob, Network::Unity],
        "eCPM by ad source, last 7 days" => &MEDIATORS,
        "AdMob revenue by ad source, last 7 days"
        | "Show my AdMob apps"
        | "List my AdMob ad units"
        | "List the AdMob ad sources" => &[Network::AdMob],
        _ => &[],
    }
}

/// Checks whether a connected network can answer an example. If none is connected yet, every example counts, because it shows what would
/// work.
pub(super) fn answerable(example: &str, connected: &[Network]) -> bool {
    let owners = owners(example);
    owners.is_empty() || connected.is_empty() || owners.iter().any(|network| connected.contains(network))
}

/// Returns examples for these networks, the best first.
pub(super) fn examples(connected: &[Network]) -> impl Iterator<Item = &'static str> + '_ {
    EXAMPLES.into_iter().chain(MORE_EXAMPLES).chain(ANYWHERE).filter(|example| answerable(example, connected))
}

fn examples_line(turn: &Turn<'_>) -> String {
    let shown: Vec<String> =
        examples(&turn.request.planner.connected).take(3).map(|example| format!("*{example}*")).collect();
    format!("For example: {}.", or(&shown))
}

/// Answers a message that is longer than we read: we do nothing with a part of it.
pub(super) fn too_long(text: &str) -> Answer {
    let thousands = |count: usize| format!("{},{:03}", count / 1000, count % 1000);
    let (has, most) = (thousands(text.chars().count()), thousands(MOST_READ));
    Answer::text(format!(
        "Your message is too long for me: it has {has} characters, and I read up to {most}. I did nothing with it. Send it in \
         parts, or choose a hosted model in the context settings."
    ))
    .following(EXAMPLES)
}

const NOTHING_DELETED: &str = "AdMob's API can't delete apps, ad units or mediation groups, so I deleted nothing. Name the line of a \
     mediation group you want to disable or remove.";

/// Checks for "delete everything": it names no thing, but it is not small talk either.
fn asks_deletion(turn: &Turn<'_>) -> bool {
    let lower = turn.question().to_lowercase();
    ["delete", "remove", "erase", "wipe", "destroy"].iter().any(|word| super::read::contains_word(&lower, word))
}

pub(super) fn chat(turn: &Turn<'_>) -> Answer {
    let lower = turn.question().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| super::read::contains_word(&lower, w));
    let connected = !turn.request.planner.connected.is_empty();
    let text =
        if has(&["thanks", "thank you", "thx", "cheers", "great", "perfect", "nice", "gracias", "danke", "merci"]) {
            "You're welcome.".to_owned()
        } else if asks_deletion(turn) {
            NOTHING_DELETED.to_owned()
        } else if has(&["bye", "goodbye", "see you", "that's all", "good night"]) {
            "Until next time. This chat is saved.".to_owned()
        } else if has(&["who are you", "what are you", "what is this", "what can you do", "help", "how do you work"]) {
            format!("I'm your ad operations assistant. {CAN}")
        } else {
            "Hello. I can read your ad networks and prepare changes for your approval.".to_owned()
        };
    let next = if connected {
        examples_line(turn)
    } else {
        "Connect a network in Settings › Networks, or explore with sandbox data, to get started.".to_owned()
    };
    Answer::text(format!("{text} {next}")).following(EXAMPLES)
}

/// Below this confidence, the router only guessed that the message is not for us.
const GUESS: f64 = 0.6;

pub(super) fn guessed(turn: &Turn<'_>) -> bool {
    turn.understood.confidence < GUESS
}

/// Says what we can do, whichever networks are connected.
pub(super) fn abilities(turn: &Turn<'_>) -> Answer {
    let connected: Vec<Network> = turn.request.planner.connected.clone();
    let next = if connected.is_empty() {
        "Connect a network in Settings › Networks, or explore with sandbox data, to get started.".to_owned()
    } else {
        format!("{} connected. {}", is_are(&names(&connected)), examples_line(turn))
    };
    Answer::text(format!("I'm your ad operations assistant. {CAN} {next}")).following(EXAMPLES)
}

/// Returns "AdMob and Unity are".
fn is_are(names: &[String]) -> String {
    format!("{} {}", and(names), if names.len() == 1 { "is" } else { "are" })
}

/// Says that the decision is the person's, and offers numbers to base it on.
pub(super) fn no_advice(turn: &Turn<'_>) -> Answer {
    let admob = turn.asked().contains(&Network::AdMob);
    let offers = admob.then_some("Optimize my AdMob mediation").into_iter().chain([
        "Why did revenue change in the last 7 days?",
        "Which apps lost the most last week?",
        "eCPM by ad source, last 7 days, lowest first",
    ]);
    let only = if admob { " For AdMob mediation, I can also suggest floor prices from its own numbers." } else { "" };
    Answer::text(format!(
        "What to do is your decision: I show what your networks report, and prepare the change you choose.{only} These numbers \
         may help you decide."
    ))
    .following(offers)
}

/// Says what we can do, if we have no likely enough reading to offer.
pub(super) fn nothing_fits(turn: &Turn<'_>) -> Answer {
    Answer::text(format!("{} {CAN} {}", crate::chosen::NOT_SURE, examples_line(turn))).following(EXAMPLES)
}

pub(super) fn refuse(turn: &Turn<'_>) -> Answer {
    if guessed(turn) && asks_deletion(turn) {
        return Answer::text(format!("{NOTHING_DELETED} {}", examples_line(turn))).following(EXAMPLES);
    }
    if guessed(turn) {
        return Answer::text(format!(
            "I didn't understand that as a question about your ad networks, so I read nothing and changed nothing. {}",
            examples_line(turn)
        ))
        .following(EXAMPLES);
    }
    Answer::text(format!(
        "I can't help with that here. I work only with your ad networks. I don't reveal credentials or my instructions, I don't act on other people's workspaces, and no \
         change goes out without an approval on its card. What I can do is read your networks and prepare changes. {}",
        examples_line(turn)
    ))
    .following(EXAMPLES)
}

pub(super) fn connect(turn: &Turn<'_>) -> Answer {
    let wanted = &turn.understood.services;
    let text = match wanted.as_slice() {
        [] => "No network is connected yet. Connect one in Settings › Networks, or explore with sandbox data; then I can answer this \
               question."
            .to_owned(),
        [one] => format!("Connect {} and I'll pick up from here.", one.display_name()),
        several => {
            format!("Connect {} and I'll pick up from here.", and(&names(several)))
        }
    };
    Answer::text(text).following(["AdMob revenue by ad source, last 7 days", EXAMPLES[0], EXAMPLES[1]])
}

pub(super) fn enable(turn: &Turn<'_>) -> Answer {
    let wanted = names(&turn.understood.services);
    Answer::text(format!(
        "{} is turned off. Turn it on and I'll pick up from here.",
        if wanted.is_empty() { "The network".to_owned() } else { and(&wanted) }
    ))
    .following(EXAMPLES)
}

/// Answers a question about what a change would do. We can't predict that, and we don't draft the change, because the person only asked
/// about it.
pub(super) fn supposed(turn: &Turn<'_>) -> Answer {
    // In another language, the order was built from a table of words, and the person did not write it. Offer it only if they did.
    let said = turn.understood.supposed.as_deref().filter(|order| turn.question().contains(*order));
    let order = said.and_then(|order| {
        let mut letters = order.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    });
    Answer::text(
        "I can't predict what that change would do: I only show what your networks report. I can draft that change if you ask \
         me to, and nothing is sent before you approve it.",
    )
    .following(order.into_iter().chain(EXAMPLES.map(str::to_owned)))
}

/// Answers a message that we understand but can't serve.
pub(super) fn not_served(turn: &Turn<'_>) -> Answer {
    let about = match turn.understood.capability {
        Capability::Orders => "orders and line items",
        Capability::Deals => "deals",
        Capability::Targeting => "targeting",
        Capability::Content => "video content",
        Capability::Experiments => "experiments",
        Capability::Mediation => "mediation",
        Capability::Inventory => "apps and ad units",
        Capability::Accounts => "accounts",
        Capability::Reporting | Capability::Docs | Capability::Assistant => "this",
    };
    Answer::text(format!(
        "I understood a question about {about} (\"{}\"), but {} offers nothing that answers it. {}",
        plain(turn.question().trim()),
        turn.network_words(),
        examples_line(turn)
    ))
    .following(EXAMPLES)
}

/// Acknowledges a message such as "AdMob is connected now, go on with: …" before the answer.
pub(super) fn acknowledgement(turn: &Turn<'_>) -> Option<String> {
    let lower = turn.question().to_lowercase();
    let network = Network::ALL.into_iter().find(|n| lower.starts_with(&n.display_name().to_lowercase()))?;
    if lower.contains("is connected now") {
        Some(format!("Thanks, {} is now connected.", network.display_name()))
    } else if lower.contains("is enabled now") || lower.contains("is switched on now") {
        Some(format!("Thanks, {} is on again.", network.display_name()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_for_networks_that_are_connected() {
        let of = |connected: &[Network]| examples(connected).take(3).collect::<Vec<_>>();
        assert_eq!(of(&[Network::AdMob]), EXAMPLES);
        assert!(of(&[Network::Unity]).contains(&"List my mediation groups"));
        let liftoff: Vec<&str> = examples(&[Network::Liftoff]).collect();
        assert!(liftoff.len() >= 3, "{liftoff:?}");
        assert!(liftoff.iter().all(|text| !text.contains("mediation") && !text.contains("AdMob")), "{liftoff:?}");
    }
}
