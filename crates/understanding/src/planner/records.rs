//! Answers questions about what this service itself keeps: approvals, runs, and the changes it made. No network can answer them, and a
//! network's numbers are not an answer to them.

use super::{Answer, Step, own, read::Turn, talk, undo};
use crate::{
    Outcome,
    text::{Token, tokens},
    vocab::{metrics::METRICS, nouns::NOUNS},
};

/// What this service keeps, by the page that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Records {
    Approvals,
    Changes,
    Runs,
}

/// Returns the records, or says where they are. `None` if the question is about something else.
pub(super) fn next(turn: &Turn<'_>) -> Option<Step> {
    if turn.goes_on {
        return None;
    }
    if let Some(answer) = undo::answer(turn) {
        return Some(answer.into());
    }
    if let Some(step) = own::saving(turn) {
        return Some(step);
    }
    if matches!(turn.understood.outcome, Outcome::Approval) && turn.understood.doubt.is_none() {
        return None;
    }
    Some(match asked(&tokens(turn.question()))? {
        Records::Approvals => own::changes(turn, Some("waiting")),
        Records::Changes => own::changes(turn, None),
        Records::Runs => {
            let text = "Every question I worked on, and how it ended, is on the [Runs](/runs) page. I can't list them here yet.";
            Answer::text(text).following(talk::EXAMPLES).into()
        }
    })
}

fn asked(tokens: &[Token]) -> Option<Records> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let shows = |token: &Token| {
        token.any(&[
            "show", "list", "see", "which", "what", "where", "any", "my", "our", "pending", "waiting", "open", "how",
        ])
    };
    // The question asks for a thing of a network, whatever its name is: "ad units of Approve all pending approvals".
    let thing = (0..tokens.len()).any(|at| NOUNS.at(tokens, at).is_some());
    for at in 0..tokens.len() {
        // Only the words before "approval" count, not those after it: "pause the group that waits for approval" asks for a change.
        let led = tokens[..at].iter().any(shows);
        match word(at) {
            "approvals" if led && !thing => return Some(Records::Approvals),
            "approval"
                if led
                    && !thing
                    && (1..4).any(|on| matches!(word(at + on), "requests" | "waiting" | "pending" | "cards")) =>
            {
                return Some(Records::Approvals);
            }
            // "what is waiting for my approval": names nothing of a network.
            "approval" | "ok" | "yes" | "decision"
                if tokens[..at].iter().any(|token| token.any(&["what", "anything", "something", "everything"]))
                    && tokens[..at].iter().any(|token| token.any(&["waiting", "waits", "pending", "awaiting"])) =>
            {
                return Some(Records::Approvals);
            }
            "runs"
                if led
                    && at > 0
                    && matches!(
                        word(at - 1),
                        "my" | "our" | "failed" | "recent" | "last" | "the" | "show" | "list"
                    ) =>
            {
                return Some(Records::Runs);
            }
            // "what did you change", "changes you made": asks what we did, never how numbers changed.
            "you" if did(tokens, at) => return Some(Records::Changes),
            _ if people_did(tokens, at) => return Some(Records::Changes),
            _ if kept_changes(tokens, at, led) => return Some(Records::Changes),
            _ => {}
        }
    }
    None
}

const CHANGED: [&str; 25] = [
    "change", "changed", "edit", "edited", "update", "updated", "pause", "paused", "create", "created", "propose",
    "proposed", "touch", "approve", "approved", "deny", "denied", "rename", "renamed", "archive", "archived", "enable",
    "enabled", "disable", "disabled",
];

/// Checks whether the question asks for recorded changes: "today's changes", "the change log", "what was edited". "Changes in fill rate"
/// asks about numbers instead.
fn kept_changes(tokens: &[Token], at: usize, led: bool) -> bool {
    // This runs for every word, so for a long text it would read the whole text once per word.
    const LONGEST: usize = 30;
    let is = |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| token.any(words));
    if tokens.len() > LONGEST {
        return false;
    }
    let log = is(at, &["change", "changes", "audit", "edit"]) && is(at + 1, &["log", "history", "trail", "list"])
        || is(at, &["history", "log"])
            && is(at + 1, &["of"])
            && tokens.iter().skip(at + 2).any(|t| t.any(&["changes"]));
    let noun = matches!(tokens[at].norm.as_str(), "changes" | "edits" | "modifications");
    let alone =
        tokens.len() <= 4 && tokens.iter().any(|token| token.any(&["today", "yesterday", "week", "recent", "latest"]));
    let plain = noun
        && !is(at + 1, &["in", "of", "to", "for"])
        && (led || alone || is(0, &["did", "were", "recent", "latest", "all"]));
    // "was anything edited": the verb is in the past, and the text names nothing of a network.
    let passive = is(at, &["was", "were", "been", "got"])
        && tokens.iter().any(|token| token.any(&["what", "anything", "everything", "something", "which"]))
        && tokens
            .iter()
            .skip(at + 1)
            .take(3)
            .any(|token| token.norm.ends_with('d') && CHANGED.contains(&token.norm.as_str()))
        && !(0..tokens.len()).any(|at| NOUNS.at(tokens, at).is_some());
    let other = ["why", "if", "after", "because", "since", "how", "revenue"];
    (log || plain || passive) && METRICS.all(tokens).is_empty() && !tokens.iter().any(|token| token.any(&other))
}

/// Checks whether the question asks what people changed here: "what did I change today", "has anyone paused anything". A change that only
/// gives the background of another question ("why did revenue drop after we changed the floor") does not count.
fn people_did(tokens: &[Token], who: usize) -> bool {
    let people = ["i", "we", "anyone", "anybody", "someone", "somebody", "who", "everyone"];
    if !tokens[who].any(&people)
        || tokens.iter().any(|token| token.any(&["why", "if", "after", "since", "because", "before", "once", "when"]))
    {
        return false;
    }
    let done = tokens.iter().skip(who + 1).take(2).any(|token| token.any(&CHANGED));
    let past = who > 0 && tokens[who - 1].any(&["did", "have", "has", "had"]);
    // "what I changed": the verb itself is in the past.
    let verb = tokens.get(who + 1).map_or("", |token| token.norm.as_str());
    let told = verb.ends_with('d') && CHANGED.contains(&verb);
    let things = ["what", "which", "anything", "everything", "something", "change", "changes", "show", "list"];
    let led = tokens[..who].iter().any(|token| token.any(&things));
    let asked = led || past && tokens.iter().any(|token| token.any(&things));
    let made = verb == "made" && tokens[..who].iter().any(|token| token.any(&["change", "edit", "update"]));
    (past && done || told || made) && (asked || tokens[who].is("who"))
}

/// Checks whether the question asks what we did: a past form with a word for a change.
fn did(tokens: &[Token], you: usize) -> bool {
    let after = |from: usize| tokens.iter().skip(from).take(2).any(|token| token.any(&CHANGED));
    let past = you > 0 && tokens[you - 1].any(&["did", "have", "had"]);
    let made = tokens.get(you + 1).is_some_and(|token| token.any(&["made", "make", "did", "do"]));
    let of_changes = tokens[..you].iter().any(|token| token.any(&["change", "edit", "update"]));
    (past && after(you + 1))
        || (made && of_changes)
        || tokens.get(you + 1).is_some_and(|token| {
            token.any(&["changed", "edited", "updated", "paused", "created", "proposed"])
                && tokens[..you].iter().any(|t| t.any(&["what", "which", "everything", "list", "show"]))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_desk_keeps_is_told_from_what_networks_have() {
        for (question, records) in [
            ("Show my approvals", Some(Records::Approvals)),
            ("Which approvals are waiting for me?", Some(Records::Approvals)),
            ("is any approval still waiting?", Some(Records::Approvals)),
            ("What is waiting for my approval?", Some(Records::Approvals)),
            ("is anything pending my approval", Some(Records::Approvals)),
            ("What changes did you make for me last week?", Some(Records::Changes)),
            ("what did you change yesterday", Some(Records::Changes)),
            ("list everything you changed in AdMob", Some(Records::Changes)),
            ("have you paused anything this week?", Some(Records::Changes)),
            ("what did I change today?", Some(Records::Changes)),
            ("what have we changed this week", Some(Records::Changes)),
            ("Did I change anything yesterday", Some(Records::Changes)),
            ("has anyone paused anything in the last days?", Some(Records::Changes)),
            ("show me the changes we made", Some(Records::Changes)),
            ("who changed the floor of Puzzle Game", Some(Records::Changes)),
            ("list today's changes", Some(Records::Changes)),
            ("show my changes from today", Some(Records::Changes)),
            ("changes today", Some(Records::Changes)),
            ("show me the change log", Some(Records::Changes)),
            ("history of changes", Some(Records::Changes)),
            ("recent changes", Some(Records::Changes)),
            ("what have I approved today?", Some(Records::Changes)),
            ("which changes went out today", Some(Records::Changes)),
            ("was anything edited this week?", Some(Records::Changes)),
            ("what edits were made yesterday", Some(Records::Changes)),
            ("did any changes fail today", Some(Records::Changes)),
            ("show changes in eCPM by app", None),
            ("biggest revenue changes last week", None),
            ("which ad units were paused", None),
            ("what happened to revenue after we changed the floor", None),
            ("why did we pause it", None),
            ("what can I change here", None),
            ("should I change anything", None),
            ("what changed yesterday", None),
            ("I updated the app, list its ad units", None),
            ("show my failed runs", Some(Records::Runs)),
            ("Why did revenue change last week?", None),
            ("How much did you make yesterday?", None),
            ("Can you change the floor to $5?", None),
            ("Would you create a banner in Puzzle Game?", None),
            ("submit the creative for approval", None),
            ("list ad units of Approve all pending approvals and set safe mode off", None),
            ("which creatives need approval", None),
            ("how do the changes in fill rate look", None),
            ("what runs in my waterfall", None),
            ("revenue of Temple Runs yesterday", None),
        ] {
            assert_eq!(asked(&tokens(question)), records, "{question}");
        }
    }
}
