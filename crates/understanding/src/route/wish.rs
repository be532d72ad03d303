//! Finds the verb of a change: which one it is, and whether it is used as a verb.
//!
//! This module must never take a question for an order: a reading verb earlier in the same clause cancels the verb.

use super::reading::{Mention, NounMention};
use crate::text::{Kind, Token};
use crate::vocab::nouns::NOUNS;
use crate::vocab::phrases::Found;
use crate::vocab::verbs::{NEGATIONS, READS, WRITES, Write};

/// Returns the verb that changes something, and its place.
pub(super) fn write_verb(tokens: &[Token], mentions: &[Mention], nouns: &[NounMention]) -> Option<(Write, usize)> {
    let mut best: Option<(Write, usize)> = None;
    let asks = tokens.iter().any(|t| t.is_punct('?')) && tokens.iter().any(|t| t.any(&["what", "which", "how"]));
    for Found { what, at, len } in WRITES.all(tokens) {
        // "creative set 12", "category 22 is called what?"
        let inside =
            nouns.iter().any(|n| n.end - n.at > 1 && n.at < at && at < n.end && tokens[n.at].kind == Kind::Word);
        if inside || asks && tokens[at].is("is") {
            continue;
        }
        if mentions.iter().any(|m| (m.at..m.end).contains(&at)) {
            continue;
        }
        let negated = tokens[at.saturating_sub(3)..at].iter().any(|t| t.any(NEGATIONS))
            && !tokens[at.saturating_sub(3)..at].iter().any(Token::is_stop);
        // "starts", "views" and "caps" are nouns here, not orders.
        let thing = tokens[at].norm != tokens[at].stem && len == 1;
        // "get it out of the archive": the verb before the phrase ("get") does not make this a question.
        let firm = len > 2 && tokens[at].any(&["out", "from", "back"]);
        if thing || negated || !firm && reads_before(tokens, at) || !verb_like(tokens, at, len, what) {
            continue;
        }
        let word = tokens[at].norm.as_str();
        // "bring them back", "turn X on", "switch X off", "put X into the archive", "take X out of use"
        let particle = |words: &[&str]| tokens[at + len..].iter().any(|t| t.any(words));
        let kind = match (what, word) {
            (Write::Create, "make") if ends_with(tokens, at, &["inactive", "dormant", "paused", "disabled"]) => {
                Write::Deactivate
            }
            (Write::Create, "make") if ends_with(tokens, at, &["active", "live", "enabled"]) => Write::Activate,
            (Write::Update, "turn" | "switch") if particle(&["off", "inactive"]) => Write::Deactivate,
            (Write::Update, "turn" | "switch") if particle(&["on", "active"]) => Write::Activate,
            (Write::Create | Write::Update, "put") if particle(&["archive"]) => Write::Archive,
            (Write::Update, "put") if tokens.iter().any(|t| t.any(&["new", "under"])) && !particle(&["floor"]) => {
                Write::Create
            }
            (Write::Update, "take") if particle(&["use"]) => Write::Deactivate,
            (Write::Update | Write::Create, "push") => Write::Update,
            (Write::Update, _) if tokens.iter().any(|t| t.any(&["switched", "turned"])) && particle(&["off"]) => {
                Write::Deactivate
            }
            (Write::Create, "new") if attribute_follows(tokens, at) => Write::Update,
            (kind, _) => kind,
        };
        if best.is_none()
            || matches!(best, Some((Write::Activate | Write::Deactivate | Write::Submit, _)))
                && matches!(kind, Write::Archive)
        {
            best = Some((kind, at));
        }
    }
    best
}

/// Checks whether a state ends the clause: "make the group inactive again".
fn ends_with(tokens: &[Token], at: usize, states: &[&str]) -> bool {
    (at + 2..tokens.len()).any(|i| {
        tokens[i].any(states)
            && tokens[i + 1..].iter().all(|t| t.any(&["again", "please", "now", "pls"]) || t.is_stop())
    })
}

/// Checks whether a reading verb opens the clause of this verb.
fn reads_before(tokens: &[Token], at: usize) -> bool {
    let mut i = at;
    while i > 0 {
        let t = &tokens[i - 1];
        if matches!(t.kind, Kind::Punct(',' | ';' | ':' | '.' | '?' | '!' | '–'))
            || t.any(&["then", "but"])
            || (t.is("and") && i + 1 < tokens.len() && i == at)
        {
            break;
        }
        i -= 1;
    }
    let mut j = i;
    while j < at {
        if let Some(((), len)) = READS.at(tokens, j) {
            // "can you" and "could you please" are polite and ask nothing. The caller handles "do not".
            let polite = tokens[j].any(&["can", "could", "do"]) && tokens.get(j + 1).is_some_and(|t| t.is("you"));
            let split = tokens[j].any(&["split", "run", "open", "report", "has", "have", "is", "are"]) && j > i;
            if !polite && !split {
                return true;
            }
            j += len;
        } else {
            j += 1;
        }
    }
    false
}

/// Checks whether a word for an attribute, such as "name" or "floor", follows within three words.
fn attribute_follows(tokens: &[Token], at: usize) -> bool {
    tokens[at + 1..].iter().take(3).any(|t| {
        t.any(&[
            "description",
            "name",
            "title",
            "category",
            "floor",
            "url",
            "price",
            "cap",
            "mail",
            "phone",
            "icon",
            "link",
            "refresh",
            "status",
        ])
    }) && !(at + 1..tokens.len()).take(2).any(|i| NOUNS.at(tokens, i).is_some())
}

/// Checks whether a word that may also be a noun or an adjective is used as a verb here.
fn verb_like(tokens: &[Token], at: usize, len: usize, what: Write) -> bool {
    let word = tokens[at].norm.as_str();
    if len > 1 {
        return true;
    }
    let before = at.checked_sub(1).map(|i| &tokens[i]);
    let after = tokens.get(at + 1);
    let article = before.is_some_and(|t| {
        t.any(&["the", "a", "an", "of", "in", "my", "our", "this", "that", "which", "per", "by", "no"])
    });
    match word {
        // "the mediation setup" is a thing; "setup a group" is an order.
        "setup" => before.is_none_or(|t| {
            t.is_stop() || t.any(&["please", "pls", "to", "you", "and", "lets", "let", "us", "now", "then", "just"])
        }),
        "new" => !article || before.is_some_and(|t| t.any(&["a", "the"])) && at <= 3,
        "set" | "cap" | "limit" | "link" | "map" | "start" | "end" | "build" | "offer" | "cut" | "switch" | "test"
        | "point" | "change" | "increase" | "decrease" | "move" | "stop" | "finish" | "launch" | "schedule"
        | "block" | "drop" | "fix" | "hide" | "update" | "make" | "mark" | "flag" | "register" | "import"
        | "export" | "save" | "lower" | "archive" | "allow" | "put" | "take" | "force" | "push" | "cancel" | "pair"
        | "tie" | "submit" | "kill" | "clear" | "double" | "promote" => {
            let noun_before = before
                .is_some_and(|t| t.any(&["since", "download", "ad", "store", "frequency", "price", "review", "until"]));
            let follows = |words: &[&str]| after.is_some_and(|t| t.any(words));
            let led = |words: &[&str]| before.is_some_and(|t| t.any(words));
            // "start date", "end of", "put X next to Y", "revenue drop" and "change in" are nouns and comparisons.
            let noun_here = match word {
                "lower" => follows(&["than"]),
                "start" => follows(&["date", "of", "today", "yesterday"]),
                "end" => follows(&["date", "of"]),
                "put" => after.is_some() && tokens.iter().any(|t| t.is("next")),
                "drop" if what == Write::Delete && led(&["revenue", "ecpm", "earning"]) => true,
                // "revenue cut by app"
                "cut" => led(&["revenue", "ecpm", "earning", "impression", "click"]),
                "change" | "drop" | "increase" | "decrease" => {
                    led(&["earning", "wow", "revenue", "did", "the", "big", "ecpm", "yoy", "percent", "how", "much"])
                        || follows(&["in", "per", "since"])
                }
                _ => false,
            };
            !article && !noun_before && !noun_here
        }
        "give" => {
            tokens.iter().any(|t| t.any(&["deal", "access", "instead"]))
                || tokens.get(at + 1).is_some_and(|t| t.any(&["it", "them"]))
        }
        _ => true,
    }
}
