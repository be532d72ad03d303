//! Answers for changes that were not sent, and reads what a person who denied one wants instead. We repeat the reason. If it gives another
//! amount, name, format or platform than the original message, we draft the change with that one. This must never guess at a reason that
//! gives no such value.

use adagent_contract::{ALREADY_WAITING, EntityKind};
use adagent_domain::Network;
use jiff::civil::Date;
use serde_json::Value as Json;

use super::{
    Answer, Call, Step, clarify,
    format::plain,
    leftover, names,
    read::{Done, Turn, contains_word},
    things::network_of,
    whole,
};
use crate::route::reading::Reading;
use crate::wish::CHOSEN;
use crate::{Understood, amounts, history};

/// The engine's text for a denial without a reason.
const NO_REASON: &str = "Denied.";

/// How many characters of a reason we repeat. We cut longer ones.
const LONGEST: usize = 300;

const PLATFORMS: [&str; 2] = ["android", "ios"];
const FORMATS: [&str; 5] = ["banner", "interstitial", "rewarded", "native", "app open"];

/// Returns the understood message with the networks that the reason of a denial names, instead of those that were asked.
pub fn of_reason(understood: &Understood, reason: &str) -> Option<Understood> {
    let mentions = Reading::new(&affirmed(reason), Date::ZERO, &[]).mentions;
    let mut services: Vec<Network> = mentions.iter().map(|mention| mention.network).collect();
    services.retain(|network| !understood.services.contains(network));
    services.dedup();
    (!services.is_empty()).then(|| Understood { services, ..understood.clone() })
}

/// Returns a person's reason for denying a change.
pub(super) fn reason<'a>(done: &Done<'a>) -> Option<&'a str> {
    let cause = done.content.get("cause").and_then(Json::as_str).unwrap_or("declined");
    let reason = done.content.get("reason").and_then(Json::as_str)?.trim();
    (done.denied() && cause == "declined" && !reason.is_empty() && reason != NO_REASON).then_some(reason)
}

/// Returns "Your reason: “too high”. " for the beginning of an answer. Empty if there is no reason.
pub(super) fn repeated(done: &Done<'_>) -> String {
    reason(done).map_or_else(String::new, |reason| format!("Your reason: “{}”. ", short(reason)))
}

/// Points to the card of a change that already waits for approval, because the person must answer that card.
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

/// Returns the turn as the reasons of the denied calls change it. `None` if they change nothing in the message.
pub(super) fn as_denied<'a>(turn: &Turn<'a>) -> Option<Turn<'a>> {
    let denied: Vec<&Done<'a>> = turn.done.iter().filter(|done| reason(done).is_some()).collect();
    reworded(turn, &denied).map(|text| Turn { lower: text.to_lowercase(), text, ..turn.clone() })
}

/// Returns the message with the changes from the reasons, if the last reason changes something.
fn reworded<'a>(turn: &Turn<'a>, tried: &[&Done<'a>]) -> Option<String> {
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
    taken.then_some(text)
}

/// Drafts the change that the person's reasons ask for, or answers why we can't. `None` if they give no value.
pub(super) fn instead<'a>(turn: &Turn<'a>, tried: &[&Done<'a>], prepare: impl Fn(&Turn<'a>) -> Step) -> Option<Step> {
    let last = tried.last()?;
    let told = reason(last)?;
    let Some(text) = reworded(turn, tried) else {
        return says_values(turn, told).then(|| unread(told).into());
    };
    if let Some(step) = elsewhere(turn, last, &text, told) {
        return Some(step);
    }
    let mut again = Turn { lower: text.to_lowercase(), text, ..turn.clone() };
    again.done.retain(|done| !tried.iter().any(|tried| tried.id == done.id));
    match whole::checked(&again, prepare(&again)) {
        Step::Calls { say, calls } => {
            let repeats = calls.iter().any(|call| turn.find(call).is_some());
            let drafted = calls.iter().find(|call| whole::is_write(turn, &call.name));
            if drafted.is_some_and(|call| !carries(&again, told, call)) {
                return Some(unread(told).into());
            }
            let say = in_place(say, told);
            (!repeats).then_some(Step::Calls { say, calls })
        }
        // We can't draft what the person wants instead. Say why, and offer the choices.
        Step::Answer(answer) => {
            let text = format!("{}You denied it, so nothing was sent. {}", repeated(last), answer.text);
            Some(Step::Answer(Box::new(Answer { text, ..*answer })))
        }
    }
}

/// Returns the text for a change that replaces a denied one.
fn in_place(say: String, told: &str) -> String {
    if say.contains("for your approval") {
        return format!("You denied it: “{}”. Here is the change as you want it, for your approval.", short(told));
    }
    say
}

/// Returns the turn in the network that the reason of a denial names instead of the asked one, if its operations are available.
pub(super) fn moved<'a>(turn: &Turn<'a>) -> Option<(Turn<'a>, Network)> {
    let denied: Vec<&Done<'a>> = turn.done.iter().filter(|done| reason(done).is_some()).collect();
    denied.iter().rev().find_map(|last| {
        let own = network_of(last.name)?;
        let network = other_network(turn, &turn.text, reason(last)?).filter(|network| *network != own)?;
        let there = |tool: &adagent_llm::ToolSpec| !tool.read_only && network_of(&tool.name) == Some(network);
        let of_own: Vec<&Done<'a>> = denied.iter().copied().filter(|done| network_of(done.name) == Some(own)).collect();
        let text = reworded(turn, &of_own).filter(|_| turn.request.tools.iter().any(there))?;
        Some((Turn { lower: text.to_lowercase(), text, ..turn.only(network) }, network))
    })
}

/// Adds the reason of the denial to the step in that network.
pub(super) fn told_there(turn: &Turn<'_>, network: Network, step: Step) -> Step {
    let there = |done: &Done<'_>| network_of(done.name) == Some(network) && whole::is_write(turn, done.name);
    let Some(last) = turn.done.iter().rfind(|done| reason(done).is_some() && !there(done)) else { return step };
    match step {
        Step::Calls { say, calls } => {
            Step::Calls { say: reason(last).map_or_else(|| say.clone(), |told| in_place(say.clone(), told)), calls }
        }
        Step::Answer(answer) if turn.done.iter().any(there) => Step::Answer(answer),
        Step::Answer(answer) => {
            let text = format!("{}You denied it, so nothing was sent. {}", repeated(last), answer.text);
            Step::Answer(Box::new(Answer { text, ..*answer }))
        }
    }
}

fn short(reason: &str) -> String {
    let short: String = reason.trim_end_matches('.').chars().take(LONGEST).collect();
    plain(&short)
}

/// Answers a reason that a draft could only partly follow: we draft nothing and ask the person for the whole change.
fn unread(told: &str) -> Answer {
    let text = format!(
        "Your reason: “{}”. You denied it, so nothing was sent. I couldn't put all of that into one change, so I didn't draft \
         half of it. What is the whole change, in one sentence?",
        short(told)
    );
    clarify::missing(&text, &[])
}

/// Checks whether the reason holds a value that a change can have: an amount, a country, a network.
fn says_values(turn: &Turn<'_>, told: &str) -> bool {
    let reading = Reading::new(told, turn.today, &turn.entities);
    !names::countries_in(told).is_empty() || !reading.mentions.is_empty() || amounts::says_one(told)
}

/// Checks whether the draft has everything that the reason asks for.
fn carries(again: &Turn<'_>, told: &str, call: &Call) -> bool {
    let text = affirmed(told);
    let said = Turn { lower: text.to_lowercase(), text, ..again.clone() };
    leftover::of(&said, &call.name, &call.args).is_empty()
}

/// Returns the reason without the parts that it rejects: "iOS, not Android".
fn affirmed(reason: &str) -> String {
    const NOT: [&str; 9] =
        ["not ", "instead of ", "rather than ", "never ", "don't ", "don’t ", "dont ", "do not ", "does not "];
    let lower = reason.to_ascii_lowercase();
    let mut out = String::new();
    let mut at = 0;
    while at < reason.len() {
        let begins = lower.get(..at).is_none_or(|before| !before.ends_with(char::is_alphanumeric));
        let no = NOT.iter().find(|no| begins && lower.get(at..).is_some_and(|rest| rest.starts_with(**no)));
        if no.is_some() {
            let rest = lower.get(at..).unwrap_or_default();
            let ends = [", ", "; ", ". ", " but "];
            at += ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
            if at >= reason.len() {
                break;
            }
        }
        let Some(c) = reason.get(at..).and_then(|rest| rest.chars().next()) else { break };
        out.push(c);
        at += c.len_utf8();
    }
    out
}

/// Returns the network that the reason names instead of the asked one.
fn other_network(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<Network> {
    let text = affirmed(reason);
    let reading = Reading::new(&text, turn.today, &turn.entities);
    let in_wish = Reading::new(wish, turn.today, &turn.entities).mentions;
    let placed = |at: usize| at > 0 && reading.tokens[at - 1].any(&["for", "on", "in", "at", "to", "into"]);
    let mut new: Vec<Network> = reading
        .mentions
        .iter()
        .filter(|mention| placed(mention.at) || contains_word(&reason.to_lowercase(), "wrong network"))
        .map(|mention| mention.network)
        .filter(|network| !in_wish.iter().any(|own| own.network == *network))
        .collect();
    new.dedup();
    match new.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

/// For "I asked for Pangle, not InMobi": returns the message with the right network.
fn with_network(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<String> {
    let network = other_network(turn, wish, reason)?;
    let reading = Reading::new(wish, turn.today, &turn.entities);
    let own = reading.mentions.iter().find(|mention| turn.view.contains(&mention.network));
    match own {
        Some(own) if reading.text == wish => {
            let at = reading.tokens.get(own.at)?.start..reading.tokens.get(own.end.checked_sub(1)?)?.end;
            put(wish, at, network.display_name())
        }
        _ => Some(format!("{} on {}", wish.trim_end_matches('.'), network.display_name())),
    }
}

/// Handles a change that the person wants in another network than the denied one: drafts it there if its operations are available,
/// otherwise offers it.
fn elsewhere<'a>(turn: &Turn<'a>, last: &Done<'a>, text: &str, told: &str) -> Option<Step> {
    let own = network_of(last.name)?;
    let network = other_network(turn, &turn.text, told).filter(|network| *network != own)?;
    let name = network.display_name();
    if !turn.request.planner.connected.contains(&network) {
        let text = format!(
            "Your reason: “{}”. You denied it, so nothing was sent. {name} isn't connected here, so I can't draft it there.",
            short(told)
        );
        return Some(clarify::impossible(&text, &[]).into());
    }
    let ask = format!(
        "Your reason: “{}”. You denied it, so nothing was sent. Should I draft it for {name}: “{}”?",
        short(told),
        plain(text)
    );
    Some(clarify::missing(&ask, &[]).choosing([text.to_owned()]).into())
}

/// Returns the message with everything that the reason replaces in it. `None` if the reason calls a thing wrong but names no other one,
/// because then there is nothing to draft.
fn with_reason(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<String> {
    let meant = affirmed(reason);
    let network = with_network(turn, wish, reason);
    let named = with_name(turn, wish, reason, &meant);
    if network.is_none() && named.is_none() && disputes(reason) {
        return None;
    }
    let mut changed = network;
    // An amount for other countries than those in the message is not the price in the message.
    let here = names::countries_in(wish);
    if names::countries_in(&meant).iter().all(|code| here.is_empty() || here.contains(code)) {
        let current = changed.as_deref().unwrap_or(wish);
        changed = amounts::replaced(current, reason).or(changed);
    }
    changed = with_countries(changed.as_deref().unwrap_or(wish), &meant).or(changed);
    changed = with_name(turn, changed.as_deref().unwrap_or(wish), reason, &meant).or(changed);
    changed = with_word(&PLATFORMS, changed.as_deref().unwrap_or(wish), &meant).or(changed);
    changed = with_word(&FORMATS, changed.as_deref().unwrap_or(wish), &meant).or(changed);
    changed.or_else(|| next_order(turn, wish, &meant))
}

/// Reads what to do instead with the same thing: "Don't pause it, just lower it to $10".
fn next_order(turn: &Turn<'_>, wish: &str, meant: &str) -> Option<String> {
    let order = meant.trim_start_matches([' ', ',', ';', '.']);
    let read = |text: &str| Reading::new(text, turn.today, &turn.entities);
    history::order_instead(&read(order), &read(wish))
}

/// Adds "only in Germany" to a message that names no country.
fn with_countries(wish: &str, meant: &str) -> Option<String> {
    let new = names::countries_in(meant);
    if new.is_empty() || !names::countries_in(wish).is_empty() {
        return None;
    }
    let labels: Vec<String> = new.iter().map(|code| names::country_label(code)).collect();
    Some(format!("{}, in {}", wish.trim_end_matches('.'), super::format::and(&labels)))
}

/// Checks whether the reason says that it means another thing: "wrong line", "not this group".
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

/// Replaces a name: "the other group, Tier 2", for a message that names one thing of that kind. If the message names none, adds the name,
/// but only if the reason says that it means another thing.
fn with_name(turn: &Turn<'_>, wish: &str, reason: &str, affirmed: &str) -> Option<String> {
    const KINDS: [EntityKind; 5] =
        [EntityKind::MediationGroup, EntityKind::AdUnit, EntityKind::App, EntityKind::AdSource, EntityKind::Account];
    let meant = disputes(reason) || ["meant", "mean", "instead"].iter().any(|word| contains_word(reason, word));
    let replaced = KINDS.into_iter().find_map(|kind| {
        let (old, new) = (named(turn, kind, wish), named(turn, kind, affirmed));
        let other = |name: &&String| !old.iter().any(|old| names::simple(old) == names::simple(name));
        let new: Vec<&String> = new.iter().filter(other).collect();
        let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
        put(wish, place(wish, old)?, new)
    });
    replaced.or_else(|| {
        let added = KINDS.into_iter().filter(|kind| named(turn, *kind, wish).is_empty()).find_map(|kind| {
            let new = named(turn, kind, affirmed);
            (new.len() == 1).then(|| new[0].clone())
        });
        added.filter(|_| meant).map(|name| format!("{wish}, {CHOSEN}{name}"))
    })
}

/// Returns the things of a kind as the text spells them. A bidding source and the waterfall source of the same name count as one.
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

/// Replaces a word: "iOS, not Android".
fn with_word(words: &[&str], wish: &str, reason: &str) -> Option<String> {
    let said = |text: &str| -> Vec<String> {
        let lower = text.to_lowercase();
        words.iter().filter(|word| contains_word(&lower, word)).map(|word| (*word).to_owned()).collect()
    };
    let old = said(wish);
    let [old] = old.as_slice() else { return None };
    let new: Vec<String> = said(reason).into_iter().filter(|word| word != old).collect();
    let [new] = new.as_slice() else { return None };
    put(wish, place(wish, old)?, names::platform_label(new))
}

/// Returns where a name is, in any case.
fn place(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let lower = text.to_lowercase();
    // If lower case changes the length of the text, its places would be wrong.
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
            with_word(&PLATFORMS, wish, &affirmed("I meant iOS, not Android")).as_deref(),
            Some("create a banner ad unit Main for Puzzle Game iOS")
        );
        assert_eq!(
            with_word(&FORMATS, wish, "should be rewarded").as_deref(),
            Some("create a rewarded ad unit Main for Puzzle Game Android")
        );
        assert_eq!(with_word(&FORMATS, wish, "not now"), None);
    }

    #[test]
    fn what_is_not_meant_is_no_part_of_what_a_reason_says() {
        for (reason, meant) in [
            (
                "I asked for Pangle on iOS, not InMobi on Android. Draft it for Pangle.",
                "I asked for Pangle on iOS, . Draft it for Pangle.",
            ),
            ("not this group, Tier 2", ", Tier 2"),
            ("Nothing in Germany", "Nothing in Germany"),
            ("knot 5", "knot 5"),
        ] {
            assert_eq!(affirmed(reason), meant, "{reason}");
        }
    }

    #[test]
    fn a_country_is_added_where_the_wish_says_none() {
        assert_eq!(
            with_countries("set the floor of A to $5.", "only in Germany").as_deref(),
            Some("set the floor of A to $5, in Germany")
        );
        assert_eq!(with_countries("set the floor of A to $5 in France", "keep Germany"), None);
    }
}
