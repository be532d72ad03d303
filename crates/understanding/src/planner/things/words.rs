//! Separates the words of a message from the names in it, and reads the order, the state and the price. This must never read a part of a
//! name as an order, and never guess which of several amounts is the price.

use adagent_domain::{Currency, Cut as _, Money};

use crate::planner::{names, read::contains_word};
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};

const CALLED: [&str; 13] = [
    "called ",
    "named ",
    "with the name ",
    "use the name ",
    "new name ",
    "call it ",
    "call that ",
    "call this one ",
    "name it ",
    "name is ",
    "name: ",
    "name = ",
    "label it ",
];

const QUOTES: [char; 10] = ['"', '“', '”', '„', '«', '»', '\'', '‘', '’', '`'];

/// Finds the name after "called". Returns where it is, without its quotes. `Err` if we can't tell where it ends.
pub(super) fn called(text: &str, known: &[&str]) -> Option<Result<(usize, usize), ()>> {
    let quoted = names::quoted(text);
    let masked = blank(text, &quoted_spans(text));
    let lower = masked.to_ascii_lowercase();
    let start = CALLED
        .iter()
        .filter_map(|lead| {
            let at = lower.match_indices(lead).map(|(at, _)| at).find(|at| begins(&lower, *at))?;
            Some(at + lead.len())
        })
        .min()?;
    let rest = text.cut(start..);
    let start = start + (rest.len() - rest.trim_start().len());
    let rest = text.cut(start..).trim_start_matches(QUOTES);
    if rest.len() < text.cut(start..).len() {
        let name = quoted.iter().find(|name| rest.trim_start().starts_with(name.as_str()))?;
        let at = start + text.cut(start..).find(name.as_str())?;
        return Some(Ok((at, at + name.len())));
    }
    Some(name_end(masked.cut(start..), known).map(|end| (start, start + end)))
}

/// Returns where a name without quotes ends: at punctuation, or at a word such as "with", "that" or "for" that leads to the next part.
/// `Err` if we can't tell.
pub(super) fn name_end(rest: &str, known: &[&str]) -> Result<usize, ()> {
    let lower = rest.to_ascii_lowercase();
    let mut end = [", ", "; ", ". ", "\n"].iter().filter_map(|stop| rest.find(stop)).min().unwrap_or(rest.len());
    for (at, _) in lower.cut(..end).match_indices(' ') {
        let word = lower.cut(at + 1..).split([' ', ',']).next().unwrap_or_default();
        let after = rest.cut(at + 1 + word.len()..).trim_start();
        let next = after.split(' ').next().unwrap_or_default();
        let stops = match word {
            // Either an app that we don't know follows, or the name continues.
            "for" | "in" | "on" if follows(after, known) => true,
            "for" | "in" | "on" if next.starts_with(char::is_uppercase) || matches!(next, "the" | "a" | "an") => {
                return Err(());
            }
            "with" | "for" | "in" | "on" => true,
            "and" => follows(after, known) || ORDERS.contains(&next.to_ascii_lowercase().as_str()),
            "that" | "which" => {
                follows(after, known) || matches!(next, "is" | "has" | "takes" | "should" | "uses" | "shows")
            }
            "below" | "under" | "inside" | "above" | "at" | "as" | "to" | "of" | "from" => follows(after, known),
            _ => false,
        };
        if stops {
            end = at;
            break;
        }
    }
    Ok(rest.cut(..end).trim_end_matches([' ', '.', ',', ';', '?', '!']).len())
}

const ORDERS: [&str; 20] = [
    "set",
    "pause",
    "enable",
    "disable",
    "activate",
    "deactivate",
    "resume",
    "archive",
    "delete",
    "remove",
    "rename",
    "change",
    "raise",
    "lower",
    "switch",
    "turn",
    "make",
    "give",
    "add",
    "put",
];

/// Checks whether something known begins here: a thing, a network, a platform, a format, a country or an amount.
fn follows(after: &str, known: &[&str]) -> bool {
    const FILLERS: [&str; 17] = [
        "the",
        "a",
        "an",
        "my",
        "our",
        "its",
        "any",
        "all",
        "ad",
        "unit",
        "app",
        "application",
        "placement",
        "account",
        "order",
        "group",
        "network",
    ];
    const SURE: [&str; 16] = [
        "android",
        "ios",
        "iphone",
        "ipad",
        "google play",
        "app store",
        "banner",
        "interstitial",
        "rewarded",
        "native",
        "mrec",
        "app open",
        "bidding",
        "waterfall",
        "price",
        "floor",
    ];
    // Longer than any name, so anything after it doesn't matter.
    const NEAR: usize = 400;
    let mut rest = after.cut(..NEAR);
    loop {
        let lower = rest.to_ascii_lowercase();
        let simple = names::simple(rest);
        if rest.starts_with(|c: char| c.is_ascii_digit() || "$€£¥".contains(c) || QUOTES.contains(&c))
            || SURE.iter().any(|word| starts(&lower, word))
            || known.iter().any(|name| starts(&simple, &names::simple(name)))
        {
            return true;
        }
        let words: Vec<&str> = rest.split(' ').take(3).collect();
        let tokens = crate::text::tokens(rest);
        if NETWORKS.at(&tokens, 0).is_some()
            || OTHER_SOURCES.at(&tokens, 0).is_some()
            || words.first().is_some_and(|word| word.trim_end_matches('.').matches('.').count() >= 2)
            || (1..=words.len()).any(|count| {
                let text = words[..count].join(" ");
                !names::countries_in(&text).is_empty()
                    && (count == 1 || names::countries_in(&words[1..count].join(" ")).is_empty())
            })
        {
            return true;
        }
        let Some(filler) = FILLERS.iter().find(|word| starts(&lower, word)) else { return false };
        rest = rest.cut(filler.len()..).trim_start();
        if rest.is_empty() {
            return true;
        }
    }
}

fn starts(text: &str, word: &str) -> bool {
    !word.is_empty()
        && text.strip_prefix(word).is_some_and(|rest| !rest.chars().next().is_some_and(char::is_alphanumeric))
}

fn begins(text: &str, at: usize) -> bool {
    !text.cut(..at).chars().next_back().is_some_and(char::is_alphanumeric)
}

fn quoted_spans(text: &str) -> Vec<(usize, usize)> {
    let quoted = names::quoted(text);
    quoted
        .iter()
        .flat_map(|name| text.match_indices(name.as_str()).map(|(at, _)| (at, at + name.len())).collect::<Vec<_>>())
        .collect()
}

/// Replaces these parts of the text with spaces, so that the rest keeps its place.
fn blank(text: &str, spans: &[(usize, usize)]) -> String {
    let mut spans = spans.to_vec();
    spans.sort_unstable();
    let (mut next, mut blank_until) = (spans.into_iter().peekable(), 0);
    text.char_indices()
        .flat_map(|(at, c)| {
            while let Some((_, end)) = next.next_if(|(start, _)| *start <= at) {
                blank_until = blank_until.max(end);
            }
            let inside = at < blank_until;
            let (c, count) = if inside { (' ', c.len_utf8()) } else { (c, 1) };
            std::iter::repeat_n(c, count)
        })
        .collect()
}

/// Replaces every name in the message with spaces: names in quotes, names after "called", and names of known things.
pub(super) fn bare(text: &str, known: &[&str]) -> String {
    let mut spans = quoted_spans(text);
    if let Some(Ok(span)) = called(text, known) {
        spans.push(span);
    }
    let lower = text.to_ascii_lowercase();
    for name in known {
        // A name of one word may be an ordinary word, so it counts only in its own spelling, and not as the first word.
        let several = name.trim().contains(' ');
        for (at, _) in lower.match_indices(&name.to_ascii_lowercase()) {
            let end = at + name.len();
            let whole = begins(text, at) && !text.cut(end..).chars().next().is_some_and(char::is_alphanumeric);
            if whole && (several || (at > 0 && text.cut(at..end) == *name)) {
                spans.push((at, end));
            }
        }
    }
    blank(text, &spans)
}

/// Returns which group of words comes first. If two begin at the same place, the longer one counts.
pub(super) fn first_said(lower: &str, groups: &[&[&str]]) -> Option<usize> {
    let place = |word: &str| {
        let ends = |at: usize| !lower.cut(at + word.len()..).chars().next().is_some_and(char::is_alphanumeric);
        lower.match_indices(word).map(|(at, _)| at).find(|at| begins(lower, *at) && ends(*at))
    };
    let found = groups.iter().enumerate().flat_map(|(index, words)| {
        // "the new placement" is an order only if no other word is one.
        words.iter().filter_map(move |word| Some((matches!(*word, "new" | "start"), place(word)?, word.len(), index)))
    });
    found.min_by_key(|(weak, at, len, _)| (*weak, *at, std::cmp::Reverse(*len))).map(|(_, _, _, index)| index)
}

/// Parts of a thing that can be turned on or off on their own.
const SWITCHES: [&str; 9] =
    ["bidding", "capping", "pacing", "refresh", "targeting", "location", "coppa", "skipping", "tracking"];

/// Reads whether the message turns the thing on or off, and which of its parts.
pub(super) fn states(lower: &str) -> (Option<bool>, Vec<(&'static str, bool)>) {
    const STOPPED: [&str; 6] = ["inactive", "paused", "disabled", "turned off", "switched off", "off"];
    const STARTED: [&str; 6] = ["active", "enabled", "live", "turned on", "switched on", "on"];
    const OFF: [&str; 7] = ["pause", "disable", "deactivate", "switch off", "turn off", "stop", "suspend"];
    const ON: [&str; 7] = ["resume", "enable", "activate", "switch on", "turn on", "unpause", "reactivate"];
    const BETWEEN: [&str; 9] = ["the", "its", "a", "header", "audience", "in-app", "frequency", "ad", "banner"];
    let (mut on, mut off, mut parts) = (false, false, Vec::new());
    for (word, value) in OFF.iter().map(|word| (*word, false)).chain(ON.iter().map(|word| (*word, true))) {
        for (at, _) in lower.match_indices(word) {
            let after = lower.cut(at + word.len()..);
            if !begins(lower, at) || after.starts_with(char::is_alphanumeric) {
                continue;
            }
            let next = after.split_whitespace().find(|word| !BETWEEN.contains(word)).unwrap_or_default();
            match SWITCHES.iter().find(|part| next.trim_end_matches([',', '.', ';']) == **part) {
                Some(part) => parts.push((*part, value)),
                None if value => on = true,
                None => off = true,
            }
        }
    }
    match apart(lower) {
        Some((Some(part), value)) => parts.push((part, value)),
        Some((None, true)) => on = true,
        Some((None, false)) => off = true,
        None => {}
    }
    // "set it inactive" and "must be turned off" are orders; "the active ones" is not.
    for (words, value) in [(STOPPED, false), (STARTED, true)] {
        let said = |word: &str| {
            let leads: &[&str] = if matches!(word, "off" | "on") {
                &["must be", "should be", "to be", "needs to be"]
            } else {
                &[
                    "to",
                    "as",
                    "it",
                    "status",
                    "state",
                    "status:",
                    "state:",
                    "must be",
                    "should be",
                    "to be",
                    "gets",
                    "be",
                ]
            };
            leads.iter().any(|lead| contains_word(lower, &format!("{lead} {word}")))
        };
        if words.iter().any(|word| said(word)) {
            if value { on = true } else { off = true }
        }
    }
    let state = match (off, on) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        _ => None,
    };
    (state, parts)
}

/// Reads a state whose verb stands apart from it, and the part that it is about: "switch Chartboost off in the waterfall", "turn bidding off
/// for Level Banner". A preposition before a place is no state: "turn it up on AppLovin".
fn apart(lower: &str) -> Option<(Option<&'static str>, bool)> {
    const NEAR: usize = 6;
    let words: Vec<&str> = lower.split_whitespace().collect();
    let verb = words.iter().position(|word| matches!(*word, "switch" | "turn"))?;
    let ends =
        |at: usize| words.get(at + 1).is_none_or(|next| ["in", "for", "again", "of", "at", "from"].contains(next));
    let stops = |at: usize| words[at].ends_with([',', ';', '.', '!']);
    let part = |at: usize| SWITCHES.iter().find(|part| words[verb + 1..at].contains(*part)).copied();
    (verb + 2..words.len().min(verb + 2 + NEAR)).find_map(|at| match words[at].trim_end_matches([',', ';', '.', '!']) {
        "off" => Some((part(at), false)),
        "on" if ends(at) || stops(at) => Some((part(at), true)),
        _ => None,
    })
}

/// What a message says about the price.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Price {
    Unsaid,
    /// The price in micros, and its currency if the message gives one.
    Is(i64, Option<String>),
    Ask(&'static str),
}

/// A number without a currency above this, in micros, is not a price.
const MOST_BARE: i64 = 10_000_000_000;

/// "floor 0.55" names a price, and "floor 8822110044" an ID: right behind the word, only a smaller number is a price.
const MOST_PLAIN: i64 = 1_000_000_000;

#[derive(Debug)]
struct Amount {
    at: usize,
    end: usize,
    micros: i64,
    currency: Option<String>,
    negative: bool,
    percent: bool,
    /// The word before the amount.
    lead: String,
}

const CURRENCIES: [(&str, &[&str]); 13] = [
    ("USD", &["usd", "dollar", "dollars", "bucks", "us$", "$"]),
    ("EUR", &["eur", "euro", "euros", "€"]),
    ("GBP", &["gbp", "pound", "pounds", "£"]),
    ("CNY", &["cny", "rmb", "yuan", "renminbi"]),
    ("JPY", &["jpy", "yen", "¥"]),
    ("INR", &["inr", "rupee", "rupees", "₹"]),
    ("KRW", &["krw", "won", "₩"]),
    ("AUD", &["aud", "a$", "au$"]),
    ("CAD", &["cad", "c$", "ca$"]),
    ("BRL", &["brl", "r$", "reais"]),
    ("CHF", &["chf"]),
    ("HKD", &["hkd", "hk$"]),
    ("SEK", &["sek"]),
];

fn currency(word: &str) -> Option<String> {
    let word = word.trim_matches([',', '.', ';', '?', '!', '(', ')']);
    CURRENCIES.iter().find(|(_, words)| words.contains(&word)).map(|(code, _)| (*code).to_owned())
}

/// Checks for a word that counts hundredths of a dollar.
fn is_cents(word: &str) -> bool {
    matches!(word.trim_matches([',', '.', ';', '?', '!', '(', ')']), "cent" | "cents" | "¢" | "centavos" | "centimes")
}

fn scan(lower: &str) -> Vec<Amount> {
    let bytes = lower.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        at += 1;
        if !bytes[start].is_ascii_digit() {
            continue;
        }
        let before = lower.cut(..start).chars().next_back();
        // ".65" is short for "0.65".
        let point = lower
            .cut(..start)
            .strip_suffix('.')
            .filter(|head| head.chars().next_back().is_none_or(|c| c.is_whitespace() || matches!(c, '$' | '€' | '£')));
        if point.is_none() && before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '~' | '/' | '_')) {
            continue;
        }
        while at < bytes.len()
            && (bytes[at].is_ascii_digit()
                || (matches!(bytes[at], b'.' | b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)))
        {
            at += 1;
        }
        // "4c9cb4" is an ID, and "4usd" an amount.
        let glued: String = lower.cut(at..).chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !glued.is_empty() && currency(&glued).is_none() && !is_cents(&glued) {
            at += glued.len();
            continue;
        }
        let digits = format!("{}{}", if point.is_some() { "0." } else { "" }, lower.cut(start..at));
        let Ok(money) = Money::parse_amount(Currency::USD, &digits) else { continue };
        let start = start - usize::from(point.is_some());
        // "-$3", "$-3" and "minus 3" are negative. "2-3" and IDs are not amounts.
        let head = lower.cut(..start).trim_end();
        let symbol = head.rsplit(' ').next().unwrap_or_default();
        let sign = symbol.contains(['-', '−']);
        let symbol = symbol.replace(['-', '−'], "");
        if sign && symbol.chars().any(char::is_alphanumeric) && currency(&symbol).is_none() {
            continue;
        }
        let tail = lower.cut(at..).trim_start();
        let word = tail.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        // "18-34" is a range, and neither end is a price.
        let range = tail.strip_prefix(['-', '–']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if range && currency(&symbol).is_none() {
            at += tail.len()
                - tail.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '–' | '.')).len();
            continue;
        }
        // "$0.50 cents" has its unit already; "25 euro cents" has it in two words.
        let next = tail.split_whitespace().nth(1).unwrap_or_default();
        let cents = currency(&symbol).is_none() && (is_cents(word) || currency(word).is_some() && is_cents(next));
        let dollars = matches!(word.trim_matches([',', '.', ';', '?', '!', '(', ')']), "cent" | "cents" | "¢");
        let spoken =
            currency(&symbol).or_else(|| currency(word)).or_else(|| (cents && dollars).then(|| "USD".to_owned()));
        let mut words = head.rsplit(' ').map(|word| word.trim_matches(['-', '−', '(', ','])).peekable();
        let skipped = |word: &&str| {
            word.is_empty() || currency(word).is_some() || matches!(*word, "about" | "around" | "only" | "just")
        };
        while words.peek().is_some_and(&skipped) {
            words.next();
        }
        let lead = words.next().unwrap_or_default().to_owned();
        out.push(Amount {
            at: start,
            end: at,
            micros: if cents { money.micros / 100 } else { money.micros },
            currency: spoken,
            negative: sign || lead == "minus",
            percent: tail.starts_with('%') || word.starts_with("percent"),
            lead,
        });
    }
    out
}

/// Checks whether the last word that says what a number is means a price. `None` if there is no such word.
fn speaks_of_price(segment: &str) -> Option<bool> {
    const PRICE: [&str; 8] = ["floor", "floors", "price", "prices", "cpm", "ecpm", "rate", "bid"];
    const OTHER: [&str; 20] = [
        "budget",
        "refresh",
        "reward",
        "goal",
        "cap",
        "capping",
        "limit",
        "revenue",
        "position",
        "interval",
        "priority",
        "impressions",
        "discount",
        "spend",
        "seconds",
        "minutes",
        "category",
        "pacing",
        "duration",
        "count",
    ];
    // "refresh rate" and "fill rate" are not prices.
    const RATES: [&str; 6] = ["refresh", "fill", "frame", "match", "show", "conversion"];
    let words: Vec<&str> = segment.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().enumerate().rev().find_map(|(at, word)| {
        if OTHER.contains(word) {
            return Some(false);
        }
        let rate = *word == "rate" && at > 0 && RATES.contains(&words[at - 1]);
        PRICE.contains(word).then_some(!rate)
    })
}

/// Our question if the message says how much a price changes but not the new price.
pub(super) const NEW: &str = "I need the new price as an amount. What should it be?";

/// Reads the price from a message without its names: not simply the first amount, but the one that the price should become.
pub(super) fn price(bare: &str) -> Price {
    const WHICH: &str = "I see more than one amount. Which one is the price?";
    let lower = bare.to_ascii_lowercase();
    let (mut kept, mut last, mut about) = (Vec::new(), 0, None);
    for amount in scan(&lower) {
        about = speaks_of_price(lower.cut(last..amount.at)).or(about);
        last = amount.end;
        // "a $5 floor", "$5000 budget": the word right after an amount is closer than those before it.
        let tail: Vec<&str> = lower.cut(amount.end..).split_whitespace().take(2).collect();
        let tail: Vec<&str> = tail.into_iter().filter(|word| currency(word).is_none()).take(1).collect();
        let about_this = speaks_of_price(&tail.join(" ")).or(about);
        let leads = matches!(
            amount.lead.as_str(),
            "to" | "at"
                | "of"
                | "from"
                | "by"
                | "is"
                | "="
                | ">"
                | "→"
                | "minus"
                | "goes"
                | "cpm"
                | "ecpm"
                | "price"
                | "target"
        ) || amount.lead == "floor" && amount.micros < MOST_PLAIN;
        // "US target 9" names a target eCPM. "Target 18-34" names an age.
        let targets = amount.lead == "target" && amount.micros < MOST_PLAIN;
        let wanted = match about_this {
            _ if targets => true,
            Some(false) => false,
            // A long number without a currency is an ID.
            Some(true) => amount.currency.is_some() || ((leads || amount.negative) && amount.micros < MOST_BARE),
            None => amount.currency.is_some(),
        };
        if wanted && (!amount.percent || amount.lead == "by") {
            kept.push(amount);
        }
    }
    if kept.iter().any(|amount| amount.negative) {
        return Price::Ask("A price can't be below zero. What should it be?");
    }
    let becomes = kept.iter().any(|amount| amount.lead == "to");
    if !becomes && kept.iter().any(|amount| matches!(amount.lead.as_str(), "by" | "from")) {
        return Price::Ask(NEW);
    }
    kept.retain(|amount| !matches!(amount.lead.as_str(), "by" | "from"));
    let Some(first) = kept.first() else { return Price::Unsaid };
    if kept.iter().any(|amount| (amount.micros, &amount.currency) != (first.micros, &first.currency)) {
        return Price::Ask(WHICH);
    }
    Price::Is(first.micros, first.currency.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usd(micros: i64) -> Price {
        Price::Is(micros, Some("USD".to_owned()))
    }

    #[test]
    fn the_price_is_what_it_becomes() {
        assert_eq!(price("raise the floor from $2 to $3"), usd(3_000_000));
        assert_eq!(price("Set a $4.50 floor in the US on the ad unit"), usd(4_500_000));
        assert_eq!(price("drop the floor to 4"), Price::Is(4_000_000, None));
        assert_eq!(price("expected CPM of the slot to 10 CNY"), Price::Is(10_000_000, Some("CNY".to_owned())));
        for asked in [
            "lower the floor by $0.50",
            "raise the floor by 10%",
            "set the floor to -$3",
            "set the floor to $-3",
            "set the floor to $2 in the US and $3 in Germany",
            "raise the floor from $2",
        ] {
            assert!(matches!(price(asked), Price::Ask(_)), "{asked}: {:?}", price(asked));
        }
        for none in [
            "set the banner refresh rate to 30",
            "line item with a budget of $5000",
            "line item with a $5000 budget",
            "set the floor of 8822110044",
            "set position to 2",
        ] {
            assert_eq!(price(none), Price::Unsaid, "{none}");
        }
        assert_eq!(price("a budget of $5000 and a rate of $2"), usd(2_000_000));
        assert_eq!(price("bring the floor of the menu banner down to 25 cents"), usd(250_000));
        assert_eq!(price("floor to 1 cent"), usd(10_000));
        assert_eq!(price("bump floor on 1126843483561 from .40 to .65"), Price::Is(650_000, None));
        assert_eq!(price("inmobi gameplay banner floor 0,55"), Price::Is(550_000, None));
        assert_eq!(price("US target 9, leave the rest alone"), Price::Is(9_000_000, None));
        for none in ["target Brazil and set the weight to 5", "target 18-34"] {
            assert_eq!(price(none), Price::Unsaid, "{none}");
        }
        assert_eq!(price("floor of $0.50 cents"), usd(500_000));
        assert_eq!(price("floor to 25 euro cents"), Price::Is(250_000, Some("EUR".to_owned())));
    }

    #[test]
    fn names_hold_no_orders() {
        let bare = bare("Create a unit called Pause Menu for com.example.puzzle on Android", &[]);
        assert!(!bare.contains("Pause") && bare.contains("on Android"), "{bare}");
        let bare = super::bare("Rename Pause Menu to \"Delete me\"", &["Pause Menu"]);
        assert!(!bare.contains("Pause") && !bare.contains("Delete") && bare.contains("Rename"), "{bare}");
        let groups: [&[&str]; 3] = [&["pause"], &["create", "set up", "new"], &["set", "enable"]];
        assert_eq!(first_said("create one and enable bidding", &groups), Some(1));
        assert_eq!(first_said("pause the new one", &groups), Some(0));
        assert_eq!(first_said("set up one", &groups), Some(1));
    }

    #[test]
    fn parts_are_switched_by_themselves() {
        assert_eq!(states("create one and enable bidding"), (None, vec![("bidding", true)]));
        assert_eq!(states("pause it and disable the frequency capping"), (Some(false), vec![("capping", false)]));
        assert_eq!(states("set its status to active"), (Some(true), vec![]));
        assert_eq!(states("turn bidding off for level banner"), (None, vec![("bidding", false)]));
        assert_eq!(states("switch chartboost off in the waterfall"), (Some(false), vec![]));
        assert_eq!(states("turn meta on again"), (Some(true), vec![]));
        assert_eq!(states("turn the floor up on applovin"), (None, vec![]));
    }

    #[test]
    fn names_end_where_something_known_begins() {
        let name = |text: &'static str, known: &[&str]| {
            called(text, known).map(|found| found.map(|(start, end)| text.cut(start..end)))
        };
        let known = ["Puzzle Game Android Main Menu Banner", "Puzzle Game"];
        assert_eq!(
            name("create an ad unit called Test Leaderboard below Puzzle Game Android Main Menu Banner", &known),
            Some(Ok("Test Leaderboard"))
        );
        assert_eq!(name("one called Remove Ads for Puzzle Game on Android", &known), Some(Ok("Remove Ads")));
        assert_eq!(name("one called King of Hearts at $3", &known), Some(Ok("King of Hearts")));
        assert_eq!(name("one called Rock and Roll and set its floor to $3", &known), Some(Ok("Rock and Roll")));
        assert_eq!(name("one called \"Level in the Sky\" for Puzzle Game", &known), Some(Ok("Level in the Sky")));
        assert_eq!(name("one called Level in the Sky", &known), Some(Err(())));
        assert_eq!(name("one called Level end with bidding", &known), Some(Ok("Level end")));
    }
}
