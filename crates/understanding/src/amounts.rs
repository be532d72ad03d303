//! Finds amounts in a text, and replaces one with a new one. This module must never guess which of several amounts the person means.

use std::ops::Range;

use crate::text::tokens;

/// A longer run of digits and separators, in bytes, is an ID.
const LONGEST: usize = 7;

/// Words after an amount that name its currency.
const UNITS: [&str; 13] =
    ["usd", "dollars", "dollar", "bucks", "euros", "euro", "eur", "gbp", "pounds", "yen", "cny", "$", "€"];

pub(crate) fn is_unit(word: &str) -> bool {
    UNITS.contains(&word)
}

/// A number and its place in the text.
#[derive(Debug, Clone, PartialEq)]
struct Number {
    /// Its digits, as byte offsets.
    digits: Range<usize>,
    /// The digits, with the sign before them or the currency after them.
    whole: Range<usize>,
    percent: bool,
    /// The word before the number.
    lead: String,
}

impl Number {
    fn marked(&self) -> bool {
        self.whole != self.digits
    }
}

fn part(text: &str, at: &Range<usize>) -> String {
    text.get(at.clone()).unwrap_or_default().to_owned()
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
        let unit = after.trim_start().to_lowercase();
        let named = UNITS
            .iter()
            .find(|own| unit.strip_prefix(**own).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
        let glued = after.starts_with(char::is_alphabetic) && named.is_none();
        if in_word(before.chars().last()) || glued || at - start > LONGEST {
            continue;
        }
        let sign = before.trim_end().chars().last().filter(|c| matches!(c, '$' | '€' | '£' | '¥'));
        let from = sign.map_or(start, |sign| before.trim_end().len() - sign.len_utf8());
        let space = after.len() - after.trim_start().len();
        let lead = part(text, &(0..from)).split_whitespace().last().unwrap_or_default().to_lowercase();
        out.push(Number {
            digits: start..at,
            whole: from..named.map_or(at, |own| at + space + own.len()),
            percent: unit.starts_with('%') || unit.starts_with("percent"),
            lead,
        });
    }
    out
}

/// Checks whether a text only says how much more or less: "less than that", "by 10%". "Lower it to 3.80" names the new amount.
pub(crate) fn is_relative(text: &str) -> bool {
    const RELATIVE: [&str; 8] = ["less", "lower", "more", "higher", "below", "above", "cheaper", "by"];
    let leads = numbers(text).iter().any(|number| number.lead == "to" && !number.percent);
    !leads && tokens(text).iter().any(|token| RELATIVE.contains(&token.norm.as_str()))
}

/// Returns the wish with its one price replaced, for "make it 13.50". `None` if the text says a share or how much more or less, or if it is
/// open which amount it replaces. A wish with one percentage and no clear price gets a new percentage.
pub(crate) fn replaced(wish: &str, said: &str) -> Option<String> {
    let all = numbers(wish);
    let priced: Vec<&Number> = all
        .iter()
        .filter(|number| {
            !number.percent && (number.marked() || matches!(number.lead.as_str(), "to" | "at" | "of" | "floor"))
        })
        .collect();
    let becomes: Vec<&&Number> = priced.iter().filter(|number| number.lead == "to").collect();
    let old = match (becomes.as_slice(), priced.as_slice()) {
        ([one], _) => **one,
        ([], [one]) => *one,
        _ => {
            let (percents, new): (Vec<&Number>, Vec<Number>) =
                (all.iter().filter(|number| number.percent).collect(), numbers(said));
            let ([old], [new]) = (percents.as_slice(), new.as_slice()) else { return None };
            let differs = new.percent && part(wish, &old.digits) != part(said, &new.digits);
            return if differs { put(wish, &old.digits, &part(said, &new.digits)) } else { None };
        }
    };
    if is_relative(said) {
        return None;
    }
    let mut new = numbers(said);
    new.retain(|number| {
        !number.percent
            && (number.marked() || !counts(said, number))
            && part(said, &number.digits) != part(wish, &old.digits)
    });
    if new.iter().filter(|number| number.marked()).count() == 1 {
        new.retain(Number::marked);
    }
    let [new] = new.as_slice() else { return None };
    // An amount without a currency keeps the currency of the wish.
    if new.marked() {
        put(wish, &old.whole, &part(said, &new.whole))
    } else {
        put(wish, &old.digits, &part(said, &new.digits))
    }
}

/// Checks whether a text says an amount of money or a percentage.
pub(crate) fn says_one(text: &str) -> bool {
    numbers(text).iter().any(|number| number.percent || number.marked())
}

/// Checks whether a message only gives the change that another message asked for a new amount.
pub(crate) fn corrects(wish: &str, said: &str) -> bool {
    is_alone(said) && replaced(wish, said).is_some()
}

/// Checks whether a number counts something: "500 impressions".
fn counts(text: &str, number: &Number) -> bool {
    const GOES_ON: [&str; 24] = [
        "instead", "please", "pls", "is", "max", "maximum", "then", "enough", "for", "in", "on", "at", "and", "or",
        "would", "should", "will", "not", "rather", "now", "only", "but", "no", "fine",
    ];
    let next = tokens(text).into_iter().find(|token| token.start >= number.digits.end);
    next.is_some_and(|token| token.kind == crate::text::Kind::Word && !GOES_ON.contains(&token.norm.as_str()))
}

fn put(text: &str, at: &Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..at.start)?, text.get(at.end..)?))
}

/// Checks whether a text says an amount and nothing else, apart from filler words: "make it 3.80 instead, please".
pub(crate) fn is_alone(text: &str) -> bool {
    use crate::text::Kind;
    const FILLER: [&str; 81] = [
        "make",
        "it",
        "that",
        "this",
        "set",
        "to",
        "at",
        "instead",
        "please",
        "pls",
        "rather",
        "no",
        "not",
        "actually",
        "sorry",
        "oops",
        "ok",
        "okay",
        "use",
        "change",
        "the",
        "price",
        "floor",
        "amount",
        "be",
        "should",
        "i",
        "mean",
        "meant",
        "just",
        "let",
        "us",
        "then",
        "usd",
        "lower",
        "raise",
        "reduce",
        "increase",
        "decrease",
        "drop",
        "cut",
        "bump",
        "bring",
        "put",
        "down",
        "up",
        // German and Spanish.
        "doch",
        "lieber",
        "besser",
        "stattdessen",
        "sondern",
        "nein",
        "nicht",
        "bitte",
        "mach",
        "mache",
        "nimm",
        "setz",
        "setze",
        "es",
        "das",
        "auf",
        "zu",
        "statt",
        "dessen",
        "eher",
        "nur",
        "mejor",
        "que",
        "sea",
        "pon",
        "ponlo",
        "hazlo",
        "a",
        "en",
        "lugar",
        "por",
        "favor",
        "solo",
        "cambialo",
        "cámbialo",
    ];
    let numbers = numbers(text);
    let [one] = numbers.as_slice() else { return false };
    let filler = |token: &crate::text::Token| {
        matches!(token.kind, Kind::Punct(_))
            || one.whole.contains(&token.start)
            || FILLER.contains(&token.norm.as_str())
    };
    tokens(text).iter().all(filler)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_takes_the_place_of_the_price() {
        let wish = "change the AppLovin floor from $12 to $14 in Tier 1";
        for (said, becomes) in [
            ("too high, make it $13.50", Some("$13.50")),
            ("13.5 is enough", Some("$13.5")),
            ("$14 is too much, $13 please", Some("$13")),
            ("make it 13 euros", Some("13 euros")),
            ("€13 instead", Some("€13")),
            ("too high", None),
            ("we have 500 impressions only", None),
            ("make it 10% of that", None),
            ("make it $1 lower", None),
            ("lower it to $13", Some("$13")),
            ("lower it by $1", None),
            ("somewhere between 12.50 and 13", None),
        ] {
            let wanted = becomes.map(|amount| format!("change the AppLovin floor from $12 to {amount} in Tier 1"));
            assert_eq!(replaced(wish, said), wanted, "{said}");
        }
        // In a wish with two prices, it is open which one the person means.
        assert_eq!(replaced("AppLovin at $3 and InMobi at $5", "make it $4"), None);
        assert_eq!(
            replaced("set the floor to 4 in Tier 1", "3.80").as_deref(),
            Some("set the floor to 3.80 in Tier 1")
        );
        assert_eq!(
            replaced("start a test with 20% of the traffic", "10% is enough").as_deref(),
            Some("start a test with 10% of the traffic")
        );
        assert_eq!(replaced("pause Unity in group 3300000001", "use 5"), None);
    }

    #[test]
    fn an_amount_alone_is_told_from_an_order() {
        for alone in [
            "make it 3.80 instead",
            "$4 please",
            "no, 5 USD",
            "set it to $3",
            "make it 3",
            "just lower it to 10 dollar",
            "doch lieber 0,60 $",
            "nein, mach bitte 0,60 $",
            "mejor 0,60 $",
            "no, que sea $0.60 por favor",
        ] {
            assert!(is_alone(alone), "{alone}");
        }
        for more in [
            "doch lieber Unity auf 0,60 $",
            "mejor en Brasil a 0,60 $",
            "make it 3 in Brazil",
            "make it cheaper",
            "set the rewarded floor to $3",
            "3 to 4",
        ] {
            assert!(!is_alone(more), "{more}");
        }
    }
}
