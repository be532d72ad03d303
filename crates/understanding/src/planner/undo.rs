//! Answers "Undo that" if we can't restore what the change replaced: says what the person can do instead. This must never say that nothing
//! was sent when something was, nor offer what the network can't do.

use adagent_contract::{DRAFTED, without_method};
use adagent_domain::Network;

use super::{Answer, format::plain, read::Turn, talk, things};
use crate::text::tokens;
use crate::vocab::nouns;

/// The beginning of an answer to a change that was made.
pub(super) const DONE: &str = "Done";

/// Checks whether a message asks only to undo the change just before: "undo that", "put it back".
pub fn asks_undo(text: &str) -> bool {
    const MOST: usize = 7;
    let tokens = tokens(text);
    let back = tokens.windows(3).any(|w| w[0].any(&["put", "change", "set", "roll", "take"]) && w[2].is("back"))
        || tokens.windows(2).any(|w| w[0].is("roll") && w[1].is("back"));
    let filler = [
        "undo", "revert", "put", "change", "set", "roll", "take", "back", "please", "that", "it", "this", "the",
        "last", "can", "you", "could", "again", "oops", "no", "wait", "ok", "actually", "now", "just", "sorry", "to",
        "what", "was", "how",
    ];
    let only = tokens.iter().all(|token| matches!(token.kind, crate::text::Kind::Punct(_)) || token.any(&filler));
    let asked = back || tokens.iter().any(|token| token.any(&["undo", "revert"]));
    tokens.len() <= MOST && asked && only
}

/// Says what can be done about the change before.
pub(super) fn answer(turn: &Turn<'_>) -> Option<Answer> {
    if !asks_undo(turn.question()) || turn.understood.capability == crate::Capability::Reporting {
        return None;
    }
    let last = turn.request.planner.history.iter().rfind(|entry| entry.role == "assistant");
    let last = last.map_or("", |entry| without_method(&entry.content).trim());
    Some(if last.starts_with(DRAFTED) {
        Answer::text(
            "Nothing was sent yet: that change still waits for your answer. Deny it on its card, here or under \
             [Approvals](/approvals), and it's gone.",
        )
        .following(talk::EXAMPLES)
    } else if last.starts_with(DONE) {
        made(turn, last)
    } else {
        Answer::text(
            "I have no change to put back: the last message of this chat sent none. Each change that was sent and can be put back \
             has *Undo* on its card, here and on the [Approvals](/approvals) page under *Answered*.",
        )
        .following(talk::EXAMPLES)
    })
}

/// A thing that the answer to a change names: "the mediation group **Tier 1** (`12`)".
struct Made<'a> {
    noun: String,
    name: &'a str,
    id: &'a str,
}

fn named(answer: &str) -> Option<Made<'_>> {
    let (before, rest) = answer.split_once("**")?;
    let (name, rest) = rest.split_once("**")?;
    let id = rest.trim_start().strip_prefix("(`")?.split_once('`')?.0;
    let words = before.rsplit([':', '.']).next().unwrap_or_default().trim().trim_start_matches("the ");
    Some(Made { noun: words.replace(' ', "_"), name, id })
}

/// Answers for a change that was made and that we can't undo.
fn made(turn: &Turn<'_>, answer: &str) -> Answer {
    let networks = turn.asked();
    let [network] = networks.as_slice() else { return unknown(turn) };
    let created = answer.contains("was created") || answer.contains("were created");
    let (name, made) = (network.display_name(), named(answer).filter(|_| created));
    let Some(made) = made else { return unknown(turn) };
    let what = format!("{} **{}**", made.noun.replace('_', " "), plain(made.name));
    let many = things::plural(&made.noun);
    let taken = nouns::owners(&made.noun, "delete").contains(network) && *network != Network::AdMob;
    let why = if taken {
        format!(
            "I can't put this back by myself: I don't know the {what} well enough to delete it. Ask me to delete it by its name."
        )
    } else {
        format!("I can't undo this: {name}'s API can't delete {many}, so the {what} stays.")
    };
    match instead(*network, &made) {
        Some((can, chip)) => Answer::text(format!("{why} {can}")).following([chip]).following(talk::EXAMPLES),
        None => Answer::text(format!("{why} Remove it in the {name} console if you don't want it."))
            .following(talk::EXAMPLES),
    }
}

fn unknown(turn: &Turn<'_>) -> Answer {
    Answer::text(format!(
        "I can't put the last change back: it is undone already, or {} doesn't take back what was there before. Tell me what it \
         should be now, and I'll draft that.",
        turn.network_words()
    ))
    .following(talk::EXAMPLES)
}

/// Returns what would stop a thing that can't be deleted, and the message that asks for it.
fn instead(network: Network, made: &Made<'_>) -> Option<(&'static str, String)> {
    let (name, id, noun) = (made.name, made.id, made.noun.replace('_', " "));
    match (network, made.noun.as_str()) {
        (Network::AdMob, "mediation_group") => Some((
            "I can disable all its lines instead, so that it serves nothing from them.",
            format!("Disable all lines in the AdMob mediation group {name} ({id})"),
        )),
        (Network::AppLovin | Network::Unity, "ad_unit")
        | (Network::Liftoff, "ad_unit" | "placement" | "app")
        | (Network::Unity, "instance") => {
            Some(("I can pause it instead.", format!("Pause the {} {noun} {name} ({id})", network.display_name())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_nothing_else_takes_a_change_back() {
        for text in ["undo that", "Undo", "please revert it", "put it back", "oops, undo the last change", "roll back"]
        {
            assert!(asks_undo(text), "{text}");
        }
        for text in
            ["undo the filter", "revert the floor of Puzzle Game to $5", "by country", "change the price back to $2"]
        {
            assert!(!asks_undo(text), "{text}");
        }
    }

    #[test]
    fn what_was_made_is_read_from_its_answer() {
        let made = named("Done: the mediation group **Tier 1** (`3300000099`) was created as approved.").unwrap();
        assert_eq!((made.noun.as_str(), made.name, made.id), ("mediation_group", "Tier 1", "3300000099"));
        let made =
            named("Done: ad unit **Level end** (`838e`) was created. AppLovin accepted it as approved.").unwrap();
        assert_eq!((made.noun.as_str(), made.name, made.id), ("ad_unit", "Level end", "838e"));
        assert!(named("Done. Unity accepted the change as approved.").is_none());
    }
}
