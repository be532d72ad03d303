//! Why a change was not sent, and what a person who said no wants instead. A reason is read: it is repeated, and where it holds another
//! amount, name, format or platform than the wish, the wish is taken with that one. Must never guess at a reason that says neither.

use adagent_contract::{ALREADY_WAITING, EntityKind};
use serde_json::Value as Json;

use super::{
    Answer, Step,
    format::plain,
    names,
    read::{Done, Turn, contains_word},
};
use crate::amounts;
use crate::wish::CHOSEN;

/// What the engine writes where a person gave no reason.
const NO_REASON: &str = "Denied.";

/// Longer reasons are cut where they are repeated.
const LONGEST: usize = 300;

const PLATFORMS: [&str; 2] = ["android", "ios"];
const FORMATS: [&str; 5] = ["banner", "interstitial", "rewarded", "native", "app open"];

/// The reason of a person who said no.
pub(super) fn reason<'a>(done: &Done<'a>) -> Option<&'a str> {
    let cause = done.content.get("cause").and_then(Json::as_str).unwrap_or("declined");
    let reason = done.content.get("reason").and_then(Json::as_str)?.trim();
    (done.denied() && cause == "declined" && !reason.is_empty() && reason != NO_REASON).then_some(reason)
}

/// "Your reason: “too high”. ", before what is said of the change; empty without one.
pub(super) fn repeated(done: &Done<'_>) -> String {
    reason(done).map_or_else(String::new, |reason| {
        let short: String = reason.trim_end_matches('.').chars().take(LONGEST).collect();
        format!("Your reason: “{}”. ", plain(&short))
    })
}

/// A change whose card was waiting before: that card is the one to answer.
pub(super) fn waits_already(done: &Done<'_>) -> Option<Answer> {
    let error = done.content.get("error")?;
    (error.get("code").and_then(Json::as_str) == Some(ALREADY_WAITING)).then_some(())?;
    let first =
        done.content.pointer("/error/issues/0/candidates/0").or_else(|| done.content.pointer("/issues/0/candidates/0"));
    let get = |key: &str| first.and_then(|first| first.get(key)).and_then(Json::as_str);
    let card = match (get("id"), get("name")) {
        (Some(id), Some(title)) => format!("[{}](/approvals?show=waiting&id={id})", plain(title)),
        _ => "its card is under [Approvals](/approvals)".to_owned(),
    };
    let text = format!("This change is already waiting for your approval: {card}. I didn't draft it a second time.");
    Some(Answer::text(text).following(["What was my revenue yesterday?", "List my mediation groups"]))
}

/// The change as the person's reasons want it, or what is to be said of that; nothing where they say no value.
pub(super) fn instead<'a>(turn: &Turn<'a>, tried: &[&Done<'a>], prepare: impl Fn(&Turn<'a>) -> Step) -> Option<Step> {
    let last = tried.last()?;
    let told = reason(last)?;
    let mut text = turn.text.clone();
    let mut taken = false;
    for done in tried {
        taken = match reason(done).and_then(|reason| with_reason(turn, &text, reason)) {
            Some(changed) => {
                text = changed;
                true
            }
            None => false,
        };
    }
    if !taken {
        return None;
    }
    let mut again = Turn { lower: text.to_lowercase(), text, ..turn.clone() };
    again.done.retain(|done| !tried.iter().any(|tried| tried.id == done.id));
    match prepare(&again) {
        Step::Calls { say, calls } => {
            let repeats = calls.iter().any(|call| turn.find(call).is_some());
            let say = if say.contains("for your approval") {
                let short: String = told.trim_end_matches('.').chars().take(LONGEST).collect();
                format!("You denied it: “{}”. Here is the change as you want it, for your approval.", plain(&short))
            } else {
                say
            };
            (!repeats).then_some(Step::Calls { say, calls })
        }
        // What is wanted instead cannot be drafted as it was said: why, and what can be chosen.
        Step::Answer(answer) => {
            let text = format!("{}You denied it, so nothing was sent. {}", repeated(last), answer.text);
            Some(Step::Answer(Box::new(Answer { text, ..*answer })))
        }
    }
}

/// The wish with all that the reason puts in place of something in it. A thing that is called wrong and that nothing is put in the
/// place of leaves nothing to draft.
fn with_reason(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<String> {
    let named = with_name(turn, wish, reason);
    if named.is_none() && disputes(reason) {
        return None;
    }
    let changed = amounts::replaced(wish, reason);
    let changed = with_name(turn, changed.as_deref().unwrap_or(wish), reason).or(changed);
    let changed = with_word(&PLATFORMS, changed.as_deref().unwrap_or(wish), reason).or(changed);
    with_word(&FORMATS, changed.as_deref().unwrap_or(wish), reason).or(changed)
}

/// "wrong line", "not this group": another thing is meant.
fn disputes(reason: &str) -> bool {
    const THINGS: [&str; 12] = [
        "line",
        "group",
        "unit",
        "app",
        "game",
        "placement",
        "instance",
        "source",
        "network",
        "account",
        "one",
        "slot",
    ];
    let tokens = crate::text::tokens(reason);
    tokens.windows(2).any(|pair| pair[0].any(&["wrong", "other", "another", "different"]) && pair[1].any(&THINGS))
        || tokens.windows(3).any(|pair| pair[0].is("not") && pair[1].any(&["this", "that"]) && pair[2].any(&THINGS))
}

/// "the other group, Tier 2", of a wish that names one thing of that kind. What the wish names none of is added to it where the reason
/// says that another was meant.
fn with_name(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<String> {
    const KINDS: [EntityKind; 5] =
        [EntityKind::MediationGroup, EntityKind::AdUnit, EntityKind::App, EntityKind::AdSource, EntityKind::Account];
    let meant = disputes(reason) || ["meant", "mean", "instead"].iter().any(|word| contains_word(reason, word));
    let replaced = KINDS.into_iter().find_map(|kind| {
        let (old, new) = (named(turn, kind, wish), named(turn, kind, reason));
        let other = |name: &&String| !old.iter().any(|old| names::simple(old) == names::simple(name));
        let new: Vec<&String> = new.iter().filter(other).collect();
        let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
        put(wish, place(wish, old)?, new)
    });
    replaced.or_else(|| {
        let added = KINDS.into_iter().filter(|kind| named(turn, *kind, wish).is_empty()).find_map(|kind| {
            let new = named(turn, kind, reason);
            (new.len() == 1).then(|| new[0].clone())
        });
        added.filter(|_| meant).map(|name| format!("{wish}, {CHOSEN}{name}"))
    })
}

/// Things of a kind as the text spells them. A source that bids and the same in a waterfall are one.
fn named(turn: &Turn<'_>, kind: EntityKind, text: &str) -> Vec<String> {
    let simple = names::simple(text);
    let mut found: Vec<(String, String)> = Vec::new();
    for item in names::mentioned(turn, kind, text) {
        let stem = names::stem(item);
        let whole = kind != EntityKind::AdSource || names::holds(&simple, &names::simple(&item.name));
        let spelled = if whole { item.name.clone() } else { stem.clone() };
        match found.iter_mut().find(|(known, _)| *known == stem) {
            Some((_, known)) if spelled.len() > known.len() => *known = spelled,
            Some(_) => {}
            None => found.push((stem, spelled)),
        }
    }
    found.into_iter().map(|(_, spelled)| spelled).collect()
}

/// "iOS, not Android".
fn with_word(words: &[&str], wish: &str, reason: &str) -> Option<String> {
    let said = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        words.iter().filter(|word| contains_word(&lower, word)).map(|word| (*word).to_owned()).collect()
    };
    let old = said(wish);
    let [old] = old.as_slice() else { return None };
    let new: Vec<String> = said(reason).into_iter().filter(|word| word != old).collect();
    let [new] = new.as_slice() else { return None };
    put(wish, place(wish, old)?, new)
}

/// Where a name stands, whatever its case.
fn place(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let lower = text.to_lowercase();
    // Letters that change their length with their case would be cut elsewhere.
    let at = (lower.len() == text.len()).then(|| lower.find(&name.to_lowercase())).flatten()?;
    Some(at..at + name.len())
}

fn put(text: &str, at: std::ops::Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..at.start)?, text.get(at.end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_or_format_of_the_reason_takes_the_place_of_the_other() {
        let wish = "create a banner ad unit Main for Puzzle Game Android";
        assert_eq!(
            with_word(&PLATFORMS, wish, "I meant iOS, not Android").as_deref(),
            Some("create a banner ad unit Main for Puzzle Game ios")
        );
        assert_eq!(
            with_word(&FORMATS, wish, "should be rewarded").as_deref(),
            Some("create a rewarded ad unit Main for Puzzle Game Android")
        );
        assert_eq!(with_word(&FORMATS, wish, "not now"), None);
    }
}
