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

/// What the engine writes where a person gave no reason.
const NO_REASON: &str = "Denied.";

/// Longer reasons are cut where they are repeated.
const LONGEST: usize = 300;

/// A number beyond this many digits is an id.
const LONGEST_NUMBER: usize = 7;

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

/// The change as the person's reasons want it; nothing where they say no value, or nothing can be drafted from it.
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
        Step::Answer(_) => None,
    }
}

/// The wish with what the reason puts in place of something in it.
fn with_reason(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<String> {
    with_amount(wish, reason)
        .or_else(|| with_name(turn, wish, reason))
        .or_else(|| with_word(&PLATFORMS, wish, reason))
        .or_else(|| with_word(&FORMATS, wish, reason))
}

/// A number with where it stands.
#[derive(Debug, Clone, PartialEq)]
struct Number {
    start: usize,
    end: usize,
    /// With a sign of a currency.
    marked: bool,
    percent: bool,
    /// The word before it.
    lead: String,
}

fn numbers(text: &str) -> Vec<Number> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let start = at;
        while digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1)) {
            at += 1;
        }
        let (before, after) = (text.get(..start).unwrap_or_default(), text.get(at..).unwrap_or_default());
        let in_word =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '~' | '/' | '-' | '_' | '.'));
        if in_word(before.chars().last())
            || after.chars().next().is_some_and(char::is_alphanumeric)
            || at - start > LONGEST_NUMBER
        {
            continue;
        }
        let sign = |c: char| matches!(c, '$' | '€' | '£');
        let unit = after.trim_start().to_lowercase();
        let marked = before.trim_end().ends_with(sign)
            || ["usd", "dollar", "bucks", "eur", "$", "€"].iter().any(|own| unit.starts_with(own));
        let lead =
            before.trim_end().trim_end_matches(sign).split_whitespace().last().unwrap_or_default().to_lowercase();
        out.push(Number {
            start,
            end: at,
            marked,
            percent: unit.starts_with('%') || unit.starts_with("percent"),
            lead,
        });
    }
    out
}

/// "make it 13.50", of a wish with one price: a share of it, or so much more or less, says no price.
fn with_amount(wish: &str, reason: &str) -> Option<String> {
    const RELATIVE: [&str; 8] = ["less", "lower", "more", "higher", "below", "above", "cheaper", "by"];
    let lower = reason.to_lowercase();
    let of = |number: &Number, text: &str| text.get(number.start..number.end).unwrap_or_default().to_owned();
    let all = numbers(wish);
    let priced: Vec<&Number> = all
        .iter()
        .filter(|number| {
            !number.percent && (number.marked || matches!(number.lead.as_str(), "to" | "at" | "of" | "floor"))
        })
        .collect();
    let becomes: Vec<&&Number> = priced.iter().filter(|number| number.lead == "to").collect();
    let old = match (becomes.as_slice(), priced.as_slice()) {
        ([one], _) => **one,
        ([], [one]) => *one,
        _ => {
            let (percents, said): (Vec<&Number>, Vec<Number>) =
                (all.iter().filter(|number| number.percent).collect(), numbers(reason));
            let ([old], [new]) = (percents.as_slice(), said.as_slice()) else { return None };
            let differs = new.percent && of(old, wish) != of(new, reason);
            return if differs { put(wish, old.start..old.end, &of(new, reason)) } else { None };
        }
    };
    if RELATIVE.iter().any(|word| contains_word(&lower, word)) {
        return None;
    }
    let mut new = numbers(reason);
    new.retain(|number| !number.percent && of(number, reason) != of(old, wish));
    let marked = new.iter().filter(|number| number.marked).count();
    if marked == 1 {
        new.retain(|number| number.marked);
    }
    let [new] = new.as_slice() else { return None };
    put(wish, old.start..old.end, &of(new, reason))
}

/// "the other group, Tier 2", of a wish that names one thing of that kind.
fn with_name(turn: &Turn<'_>, wish: &str, reason: &str) -> Option<String> {
    const KINDS: [EntityKind; 5] =
        [EntityKind::MediationGroup, EntityKind::AdUnit, EntityKind::App, EntityKind::AdSource, EntityKind::Account];
    KINDS.into_iter().find_map(|kind| {
        let distinct = |text: &str| -> Vec<String> {
            let mut names: Vec<String> =
                names::mentioned(turn, kind, text).into_iter().map(|item| item.name.clone()).collect();
            names.sort();
            names.dedup();
            names
        };
        let old = distinct(wish);
        let [old] = old.as_slice() else { return None };
        let new: Vec<String> = distinct(reason).into_iter().filter(|name| name != old).collect();
        let [new] = new.as_slice() else { return None };
        put(wish, place(wish, old)?, new)
    })
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
    fn an_amount_of_the_reason_takes_the_place_of_the_price() {
        let wish = "change the AppLovin floor from $12 to $14 in Tier 1";
        for (reason, becomes) in [
            ("too high, make it $13.50", Some("13.50")),
            ("13.5 is enough", Some("13.5")),
            ("$14 is too much, $13 please", Some("13")),
            ("too high", None),
            ("make it 10% of that", None),
            ("make it $1 lower", None),
            ("somewhere between 12.50 and 13", None),
        ] {
            let wanted = becomes.map(|amount| format!("change the AppLovin floor from $12 to ${amount} in Tier 1"));
            assert_eq!(with_amount(wish, reason), wanted, "{reason}");
        }
        // Of a wish with two prices none is the one that is meant.
        assert_eq!(with_amount("AppLovin at $3 and InMobi at $5", "make it $4"), None);
        assert_eq!(
            with_amount("start a test with 20% of the traffic", "10% is enough").as_deref(),
            Some("start a test with 10% of the traffic")
        );
        assert_eq!(with_amount("pause Unity in group 3300000001", "use 5"), None);
    }

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
