//! Reads amounts, percentages, names and lines from the words of a change. This must never guess a price.

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::{Currency, Cut as _, Money};

use super::ask;
use crate::planner::{
    Step, clarify, names,
    read::{Turn, contains_word},
};

/// How a new line is priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Price {
    /// By the auction.
    Live,
    /// Fixed, in micros of a US dollar.
    Manual(i64),
    /// A waterfall line without a price in the message.
    Unsaid,
}

/// An ad source as the message names it, with its price.
#[derive(Debug, Clone)]
pub(super) struct Wanted<'t> {
    pub sources: Vec<&'t EntityItem>,
    pub word: String,
    pub price: Price,
}

/// Returns the amounts of money in a text, in micros, with their positions.
pub(in crate::planner) fn amounts(text: &str) -> Vec<(usize, i64)> {
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit()
            || (at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'.' | b'~' | b'/' | b'-')))
        {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_digit()
                || (matches!(bytes[at], b'.' | b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)))
        {
            at += 1;
        }
        let before = text.cut(..start).trim_end();
        let after = text.cut(at..).trim_start().to_lowercase();
        let marked = before.ends_with('$')
            || before.to_lowercase().ends_with("usd")
            || ["usd", "dollar", "dollars", "bucks", "$"].iter().any(|unit| after.starts_with(unit));
        let cents = !marked && counts_cents(&after);
        if (marked || cents)
            && let Ok(money) = Money::parse_amount(Currency::USD, text.cut(start..at))
        {
            out.push((start, if cents { money.micros / 100 } else { money.micros }));
        }
    }
    out
}

/// Returns the price that a message asks for: of several amounts the one after "to". "From $14 to $13" names the old one first.
pub(in crate::planner) fn new_price(text: &str) -> Option<i64> {
    let all = amounts(text);
    let lead = |at: usize| {
        let before = text.cut(..at).trim_end().trim_end_matches(['$', '€']).trim_end();
        before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
    };
    let mut becomes = all.iter().filter(|(at, _)| lead(*at) == "to").map(|(_, micros)| *micros);
    if let Some(first) = becomes.next() {
        // "went up to $9, bring it to $7" names two, and we never guess.
        return becomes.all(|other| other == first).then_some(first);
    }
    all.iter().find(|(at, _)| !matches!(lead(*at).as_str(), "from" | "than")).map(|(_, micros)| *micros)
}

/// Checks whether a word for hundredths of a dollar follows a number.
fn counts_cents(after: &str) -> bool {
    let word = after.trim_start();
    ["cents", "cent", "¢"]
        .iter()
        .any(|unit| word.strip_prefix(unit).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

/// Returns a number without a currency after "to", "at" or "floor", for a message about a price: "drop the floor to 4".
pub(in crate::planner) fn bare_amount(lower: &str) -> Option<i64> {
    for lead in ["floor to ", "cpm to ", "price to ", "floor of ", "cpm of ", "floor at ", " to ", " at "] {
        for (at, _) in lower.match_indices(lead) {
            let rest = lower.cut(at + lead.len()..);
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
            let number = rest.cut(..end).trim_end_matches(['.', ',']);
            if !number.is_empty()
                && number.bytes().filter(u8::is_ascii_digit).count() < 8
                && !rest.cut(end..).trim_start().starts_with('%')
                && let Ok(money) = Money::parse_amount(Currency::USD, number)
            {
                let cents = counts_cents(rest.cut(end..));
                return Some(if cents { money.micros / 100 } else { money.micros });
            }
        }
    }
    None
}

/// A change of a price relative to the current one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::planner) enum Move {
    /// In percent, up or down.
    Percent(i64),
    /// In micros, up or down.
    Micros(i64),
}

impl Move {
    /// Returns the new price in whole cents, which AdMob's own page accepts.
    pub fn from(self, micros: i64) -> i64 {
        let new = match self {
            Self::Percent(percent) => micros.saturating_mul(100 + percent) / 100,
            Self::Micros(more) => micros.saturating_add(more),
        };
        (new + 5_000).div_euclid(10_000) * 10_000
    }
}

/// Reads how much a price changes, and in which direction: "raise it by 10%", "10% off", "halve it", "cut it by $0.50".
pub(in crate::planner) fn step(lower: &str) -> Option<Move> {
    let has = |words: &[&str]| words.iter().any(|w| contains_word(lower, w));
    if let Some(factor) = multiplied(lower) {
        return Some(Move::Percent(factor));
    }
    let sign = match (
        has(&["raise", "increase", "bump", "hike", "up", "higher", "more"]),
        has(&["lower", "reduce", "decrease", "cut", "drop", "down", "less"]),
    ) {
        (true, false) => 1,
        (false, true) => -1,
        _ => return beside_percent(lower),
    };
    let Some(at) = lower.find(" by ") else { return beside_percent(lower) };
    let rest = lower.cut(at..);
    if let Some(percent) = share(rest) {
        return Some(Move::Percent(sign * i64::from(percent)));
    }
    amounts(rest).first().map(|(_, micros)| Move::Micros(sign * micros))
}

/// Words for what a price change is about.
const PRICED: [&str; 14] =
    ["it", "its", "the", "that", "this", "their", "them", "all", "floor", "floors", "price", "prices", "cpm", "ecpm"];

/// Reads "halve it" and "double the floor". "Double-check" asks for nothing.
fn multiplied(lower: &str) -> Option<i64> {
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_matches([',', '.', '!', '?'])).collect();
    let at = |word: &str| words.iter().position(|own| *own == word);
    let object = |at: usize| words.get(at + 1).is_none_or(|next| PRICED.contains(next));
    if at("halve").is_some_and(object) {
        return Some(-50);
    }
    at("double").is_some_and(|at| words.get(at + 1).is_some_and(|next| PRICED.contains(next))).then_some(100)
}

/// Reads a percentage next to its direction: "lower the floor 10%", "10% off". A share of something else, such as "its fill is down 20%",
/// moves no price.
fn beside_percent(lower: &str) -> Option<Move> {
    const UP: [&str; 4] = ["raise", "increase", "bump", "hike"];
    const DOWN: [&str; 8] = ["lower", "reduce", "decrease", "cut", "drop", "knock", "slash", "shave"];
    const STATES: [&str; 10] =
        ["disable", "pause", "enable", "resume", "activate", "deactivate", "stop", "turn", "switch", "remove"];
    let words: Vec<&str> = lower.split_whitespace().map(|word| word.trim_matches([',', '.', '!', '?', ';'])).collect();
    if words.iter().any(|word| STATES.contains(word)) {
        return None;
    }
    let (at, percent) = words.iter().enumerate().find_map(|(at, word)| {
        let digits = word.strip_suffix('%').or_else(|| {
            let next = words.get(at + 1)?;
            matches!(*next, "%" | "percent").then_some(*word)
        })?;
        Some((at, digits.parse::<i64>().ok()?))
    })?;
    let after = if words[at].ends_with('%') { words.get(at + 1) } else { words.get(at + 2) };
    let behind = match after.copied() {
        Some("off" | "less" | "lower" | "down") => Some(-1),
        Some("more" | "higher" | "up") => Some(1),
        _ => None,
    };
    // The verb stands before it, with only its object in between.
    let verb = words[..at].iter().rposition(|word| UP.contains(word) || DOWN.contains(word));
    let ahead = verb.filter(|verb| words[verb + 1..at].iter().all(|word| PRICED.contains(word)));
    let ahead = ahead.map(|verb| if UP.contains(&words[verb]) { 1 } else { -1 });
    // "is down 20%" tells what happened.
    let told = words[..at].iter().any(|word| matches!(*word, "is" | "are" | "was" | "were" | "went" | "has" | "have"));
    let sign = ahead.or_else(|| behind.filter(|_| !told))?;
    Some(Move::Percent(sign * percent))
}

/// Reads "20%" and "20 percent".
fn percent(lower: &str) -> Option<u32> {
    lower.match_indices('%').chain(lower.match_indices("percent")).find_map(|(at, _)| {
        let digits: String = lower.cut(..at).trim_end().chars().rev().take_while(char::is_ascii_digit).collect();
        digits.chars().rev().collect::<String>().parse().ok()
    })
}

/// Reads "20%", "20 percent" or "half".
pub(super) fn share(lower: &str) -> Option<u32> {
    if let Some(number) = percent(lower) {
        return Some(number);
    }
    [("half", 50), ("a quarter", 25), ("a third", 33), ("a tenth", 10)]
        .iter()
        .find(|(word, _)| contains_word(lower, word))
        .map(|(_, number)| *number)
}

/// Returns the name that the message asks for, if any. Asks for one if it is empty or longer than AdMob takes.
pub(in crate::planner) fn name(turn: &Turn<'_>, most: usize) -> Result<Option<String>, Box<Step>> {
    let known = |text: &str| turn.entities.iter().any(|e| names::simple(&e.name) == names::simple(text));
    let quoted: Vec<String> = names::quoted(&turn.text).into_iter().filter(|quoted| !known(quoted)).collect();
    // The answer to our question for a name comes after the name in the message.
    let answered =
        ["use the name "].iter().find_map(|lead| after_lead(&turn.text, lead)).filter(|name| !name.is_empty());
    if let Some(name) = quoted.iter().chain(&answered).find(|name| name.chars().count() <= most) {
        return Ok(Some(name.clone()));
    }
    let called = ["called ", "named ", "with the name "].iter().find_map(|lead| after_lead(&turn.text, lead));
    match quoted.into_iter().next().or(called) {
        Some(empty) if empty.is_empty() => {
            Err(ask(clarify::missing("What should the name be? The one in your message is empty.", &EXAMPLES)))
        }
        Some(name) => fitting(name, most).map(Some),
        None => names::bare_name(turn).map(|name| fitting(name, most)).transpose(),
    }
}

/// Asks for a shorter name if AdMob would refuse it. We never cut a name, because nobody asked for the result.
pub(super) fn fitting(name: String, most: usize) -> Result<String, Box<Step>> {
    let count = name.chars().count();
    if count <= most {
        return Ok(name);
    }
    let question =
        format!("AdMob takes names of up to {most} characters, and that one has {count}. What is a shorter name?");
    Err(ask(clarify::missing(&question, &EXAMPLES)))
}

const EXAMPLES: [&str; 2] = ["Use the name 'Main banner'", "Show my AdMob apps"];

/// Returns the text after "called", without its quotes. It may be empty.
fn after_lead(text: &str, lead: &str) -> Option<String> {
    let rest = text.get(text.to_lowercase().find(lead)? + lead.len()..)?;
    let end = [" with ", " for ", " in ", " on ", ",", ";"].iter().filter_map(|stop| rest.find(stop)).min();
    let name = rest.cut(..end.unwrap_or(rest.len())).trim().trim_end_matches(['.', '?', '!']);
    Some(name.trim_matches(['"', '“', '”', '„', '«', '»', '\'', '‘', '’']).trim().to_owned())
}

/// Returns the text after "for", up to the next preposition, where an unknown app would be named.
pub(super) fn after_for(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let at = lower.find(" for ")? + 5;
    let rest = text.get(at..)?;
    let end = [" on ", " with ", " in ", ",", " android", " ios", " Android", " iOS", ":"]
        .iter()
        .filter_map(|stop| rest.find(stop))
        .min()
        .unwrap_or(rest.len());
    let name = rest.cut(..end).trim().trim_end_matches(['.', '?', '!']);
    let generic = ["my app", "my android app", "my ios app", "our app", "the app", "my game", "it", "my"];
    (!name.is_empty() && name.len() <= 60 && !generic.contains(&name.to_lowercase().as_str())).then(|| name.to_owned())
}

/// Returns the ad sources that the text names, one entry per name, each with its price.
pub(super) fn sources<'t>(turn: &'t Turn<'_>, text: &str) -> Vec<Wanted<'t>> {
    let lower = text.to_lowercase();
    let amounts = amounts(text);
    let mut grouped: Vec<(usize, String, Vec<&EntityItem>)> = Vec::new();
    for item in names::mentioned(turn, EntityKind::AdSource, text) {
        let stem = names::stem(item);
        let word = spelled(&lower, item).unwrap_or_else(|| (stem.clone(), 0));
        match grouped.iter_mut().find(|(at, _, _)| *at == word.1) {
            Some((_, known, items)) => {
                if word.0.len() > known.len() {
                    known.clone_from(&word.0);
                }
                items.push(item);
            }
            None => grouped.push((word.1, word.0, vec![item])),
        }
    }
    grouped.sort_by_key(|(at, _, _)| *at);
    let places: Vec<usize> = grouped.iter().map(|(at, _, _)| *at).collect();
    grouped
        .into_iter()
        .map(|(at, word, sources)| {
            let price = price_near(&lower, at, &places, &amounts);
            Wanted { sources: prefer(&sources, price), word, price }
        })
        .collect()
}

/// Returns how the text spells this source, and where.
fn spelled(lower: &str, item: &EntityItem) -> Option<(String, usize)> {
    let full = item.name.to_lowercase();
    let first = names::stem(item).split(' ').next().unwrap_or("").to_owned();
    [full, names::stem(item), first]
        .into_iter()
        .filter(|w| w.len() > 1)
        .find_map(|word| lower.find(&word).map(|at| (word, at)))
        .or_else(|| {
            [
                ("facebook", "meta"),
                ("meta", "facebook"),
                ("vungle", "liftoff"),
                ("liftoff", "vungle"),
                ("fyber", "dt"),
                ("digital turbine", "dt"),
            ]
            .iter()
            .find(|(alias, start)| names::stem(item).starts_with(start) && lower.contains(alias))
            .and_then(|(alias, _)| lower.find(alias).map(|at| ((*alias).to_owned(), at)))
        })
}

/// Returns the price of a named source: the amount that is closer to it than to other names, or else what the sentence says for all.
fn price_near(lower: &str, at: usize, places: &[usize], amounts: &[(usize, i64)]) -> Price {
    let distance = |a: usize, b: usize| a.abs_diff(b);
    let mine = amounts
        .iter()
        .filter(|(place, _)| places.iter().all(|other| distance(*place, at) <= distance(*place, *other)))
        .min_by_key(|(place, _)| distance(*place, at));
    if let Some((_, micros)) = mine {
        return Price::Manual(*micros);
    }
    let has = |words: &[&str]| words.iter().any(|w| contains_word(lower, w));
    let bidding = has(&["bidding", "bidder", "bidders", "bid", "auction"]);
    let waterfall = has(&["waterfall", "fixed price", "manual"]);
    match (bidding, waterfall) {
        (true, true) => {
            // The text names both; the one that comes first after the name decides.
            let rest = lower.cut(at..);
            match (rest.find("bid"), rest.find("waterfall")) {
                (Some(bid), Some(fall)) if fall < bid => Price::Unsaid,
                (None, Some(_)) => Price::Unsaid,
                _ => Price::Live,
            }
        }
        (false, true) => Price::Unsaid,
        _ => Price::Live,
    }
}

/// Networks list a bidding source and a waterfall source separately. The price says which one the message means.
fn prefer<'t>(sources: &[&'t EntityItem], price: Price) -> Vec<&'t EntityItem> {
    let bidding = |e: &&EntityItem| names::simple(&e.name).contains("bidding");
    let fits: Vec<&EntityItem> = match price {
        Price::Live => sources.iter().copied().filter(bidding).collect(),
        Price::Manual(_) | Price::Unsaid => sources.iter().copied().filter(|e| !bidding(e)).collect(),
    };
    if fits.is_empty() { sources.to_vec() } else { fits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_need_a_currency_and_ids_are_none() {
        assert_eq!(amounts("a $5 floor for InMobi and 7.50 USD for Pangle"), [(3, 5_000_000), (26, 7_500_000)]);
        assert_eq!(amounts("group 8822110044 gets 20% at 6 dollar"), [(29, 6_000_000)]);
        assert_eq!(amounts("ca-app-pub-3940256099942544/1033173712"), []);
    }

    #[test]
    fn bare_amounts_follow_a_word_of_price() {
        assert_eq!(bare_amount("drop the floor of us tier 1 to 4"), Some(4_000_000));
        assert_eq!(bare_amount("then applovin to 12,50"), Some(12_500_000));
        assert_eq!(bare_amount("drop the floor to 1.250,00, please"), Some(1_250_000_000));
        assert_eq!(amounts("set it to $13,75"), [(11, 13_750_000)]);
        assert_eq!(bare_amount("send 20% of it to variant b"), None);
        assert_eq!(new_price("change the price of AppLovin from $14 to $13"), Some(13_000_000));
        assert_eq!(new_price("at $14.00 it is too greedy, bring it down to $12.50"), Some(12_500_000));
        assert_eq!(new_price("set AppLovin at $3"), Some(3_000_000));
        assert_eq!(new_price("we went up to $9 last week, bring InMobi to $7"), None);
        assert_eq!(bare_amount("set the inmobi floor to 50 cents"), Some(500_000));
        assert_eq!(amounts("set the InMobi floor to 50 cents"), [(24, 500_000)]);
        for none in [
            "please double-check android inter us and disable inmobi",
            "turn off inmobi in x, its fill is down 20%",
            "inmobi is down 20%, disable it",
            "the fill is up 10% since monday",
            "start a test with 20% of the traffic",
        ] {
            assert!(step(none).is_none(), "{none}");
        }
        for (moves, percent) in
            [("lower the floor 10%", -10), ("10% off please", -10), ("halve it", -50), ("double the floor", 100)]
        {
            assert!(matches!(step(moves), Some(Move::Percent(own)) if own == percent), "{moves}");
        }
        assert_eq!(bare_amount("limit it to 20 %"), None);
    }

    #[test]
    fn steps_are_read_with_their_direction_and_land_on_whole_cents() {
        assert_eq!(step("raise the floor by 10%"), Some(Move::Percent(10)));
        assert_eq!(step("cut inmobi by $0.50"), Some(Move::Micros(-500_000)));
        assert_eq!(step("raise it to $6"), None);
        assert_eq!(Move::Percent(10).from(3_330_000), 3_660_000);
        assert_eq!(Move::Micros(-500_000).from(3_000_000), 2_500_000);
    }

    #[test]
    fn shares_are_read_as_numbers_and_words() {
        assert_eq!(share("20% of traffic"), Some(20));
        assert_eq!(share("half of the users"), Some(50));
        assert_eq!(share("some users"), None);
    }
}
