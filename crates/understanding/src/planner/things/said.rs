//! Reads what a message says about its thing: name, platform, format, price, countries, state, store. This must never guess.

use adagent_contract::EntityKind;
use adagent_domain::Cut as _;
use serde_json::Value as Json;

use super::words::{self, Price};
use crate::planner::{
    Step, clarify,
    format::plain,
    names,
    read::{Turn, contains_word},
    talk,
    writes::wish::{self, Move},
};
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};

/// Every network refuses longer names. Each may have a lower limit of its own.
const LONGEST: usize = 255;

/// What the message says. A field that it does not mention is empty.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub name: Option<String>,
    pub package: Option<String>,
    pub url: Option<String>,
    /// `android` or `ios`.
    pub platform: Option<&'static str>,
    /// In our words: `rewarded_interstitial`.
    pub format: Option<String>,
    pub micros: Option<i64>,
    /// How much the price should change, if the message says that instead of a price.
    pub step: Option<Move>,
    /// The code of the currency that the message gives with the price.
    pub currency: Option<String>,
    pub countries: Vec<String>,
    /// Whether the countries say where the thing serves, not where the price applies.
    pub serves: bool,
    pub bidding: Option<bool>,
    /// Whether the message turns the thing on or off.
    pub active: Option<bool>,
    /// Parts that the message turns on or off on their own: `capping`, `bidding`.
    pub switched: Vec<(&'static str, bool)>,
    pub for_children: Option<bool>,
    /// Whether the app is already in a store.
    pub in_store: Option<bool>,
    /// A demand source, as the person wrote it.
    pub source: Option<String>,
}

impl Said {
    /// Checks whether a price should change.
    pub fn prices(&self) -> bool {
        self.micros.is_some() || self.step.is_some()
    }

    pub fn of(turn: &Turn<'_>, create: bool) -> Result<Self, Box<Step>> {
        let lower = &turn.lower;
        let bare = bare(turn);
        let spoken = bare.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| contains_word(&spoken, word));
        let name = if create { new_name(turn)? } else { other_name(turn, &spoken)? };
        let step = step(turn, &bare);
        let (micros, currency) = if step.is_some() { (None, None) } else { price(turn, &bare)? };
        let (active, switched) = words::states(&crate::vocab::spelling::spelled(&bare));
        let bidding = switched.iter().find(|(part, _)| *part == "bidding").map(|(_, on)| *on);
        let countries = names::countries_in(&bare);
        Ok(Self {
            name: name.filter(|name| !name.is_empty()),
            package: package(&turn.text),
            url: turn
                .text
                .split_whitespace()
                .map(clean)
                .find(|word| word.starts_with("https://") || word.starts_with("http://"))
                .map(str::to_owned),
            platform: names::platform_in(lower).map(|wire| if wire == "IOS" { "ios" } else { "android" }),
            format: format_in(&spoken).or_else(|| format_in(lower)),
            serves: micros.is_none()
                && step.is_none()
                && has(&["serve", "serves", "target", "targets", "targeting", "only in", "show in", "limit to"])
                && !has(&["not in", "except", "exclude", "excluding", "not serve", "stop serving"]),
            micros,
            step,
            currency,
            countries,
            bidding: bidding.or_else(|| {
                match (has(&["bidding", "bidder"]), has(&["waterfall", "fixed price", "fixed cpm", "manual"])) {
                    (true, false) => Some(true),
                    (false, true) => Some(false),
                    _ => None,
                }
            }),
            active,
            switched,
            for_children: children(lower),
            in_store: in_store(&spoken),
            source: source(turn),
        })
    }

    /// Returns the value right after a field's own words ("category Puzzle", "position: 2").
    pub fn after(turn: &Turn<'_>, label: &str) -> Option<String> {
        let at = turn.lower.match_indices(label).map(|(at, _)| at).find(|at| {
            let before = turn.lower.cut(..*at).chars().next_back();
            let after = turn.lower.cut(at + label.len()..).chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })?;
        // A text in lower case may be longer than the original one.
        let rest = turn.text.get(at + label.len()..)?.trim_start_matches([' ', ':', '=']);
        let rest = ["is ", "to ", "of ", "as "].iter().find_map(|lead| rest.strip_prefix(lead)).unwrap_or(rest);
        let end = [", ", "; ", " with ", " for ", " in ", " on ", " and ", ". "]
            .iter()
            .filter_map(|stop| rest.find(stop))
            .min()
            .unwrap_or(rest.len());
        let value = clean(rest.cut(..end));
        let names = ["called ", "named ", "called", "named"].iter().any(|lead| value.starts_with(lead));
        (!value.is_empty() && !names).then(|| value.to_owned())
    }
}

fn clean(text: &str) -> &str {
    text.trim()
        .trim_end_matches(['.', ',', ';', '?', '!'])
        .trim_matches(['"', '\'', '“', '”', '„', '‘', '’', '`'])
        .trim()
}

/// Returns the names of known things in the asked networks, the longest first.
pub(super) fn known_names<'t>(turn: &'t Turn<'_>) -> Vec<&'t str> {
    let mut known: Vec<&str> = turn
        .entities
        .iter()
        // An app has the same name in every network, and some networks list only ad units.
        .filter(|item| turn.view.contains(&item.network) || item.kind == EntityKind::App)
        .filter(|item| item.name.len() > 2)
        .map(|item| item.name.as_str())
        .collect();
    known.sort_by_key(|name| std::cmp::Reverse(name.len()));
    known.dedup();
    known
}

/// Returns the message without the names in it, because a verb or a country inside a name means nothing.
pub(super) fn bare(turn: &Turn<'_>) -> String {
    words::bare(&turn.text, &known_names(turn))
}

fn back<T>(text: &str) -> Result<T, Box<Step>> {
    Err(Box::new(clarify::missing(text, &talk::EXAMPLES).into()))
}

fn fitting(name: String) -> Result<Option<String>, Box<Step>> {
    if name.chars().count() > LONGEST {
        return back(&format!("That name has more than {LONGEST} characters. What is a shorter name?"));
    }
    Ok(Some(name))
}

/// Returns the name of the new thing.
fn new_name(turn: &Turn<'_>) -> Result<Option<String>, Box<Step>> {
    let known = known_names(turn);
    // The message as the person wrote it comes first: in the other text, words of a name may be in English.
    let text = if words::called(turn.question(), &known).is_some() { turn.question() } else { turn.text.as_str() };
    match words::called(text, &known) {
        Some(Ok((start, end))) => return fitting(clean(text.cut(start..end)).to_owned()),
        Some(Err(())) => {
            return back("I can't tell where the name ends. What is it called? Put the name in quotes.");
        }
        None => {}
    }
    // A new thing may have a name that other things have. A quoted name after a preposition says where the new thing goes.
    let is_known = |text: &str| turn.entities.iter().any(|e| names::simple(&e.name) == names::simple(text));
    let all = names::quoted(&turn.text);
    let quoted =
        all.iter().find(|quoted| !is_known(quoted)).or_else(|| all.iter().find(|quoted| !is_placed(turn, quoted)));
    if let Some(name) = quoted {
        return fitting(name.clone());
    }
    if let Some(rest) = after_name_word(turn.question()).or_else(|| after_name_word(&turn.text)) {
        return match words::name_end(rest, &known) {
            Ok(end) => fitting(clean(rest.cut(..end)).to_owned()),
            Err(()) => back("I can't tell where the name ends. What is it called? Put the name in quotes."),
        };
    }
    let said = names::bare_name(turn).or_else(|| answered_name(turn)).or_else(|| names::own_words(turn));
    said.map_or(Ok(None), fitting)
}

/// Checks whether a quoted name says where something is: "in 'Main Menu Banner'".
fn is_placed(turn: &Turn<'_>, quoted: &str) -> bool {
    const PLACES: [&str; 12] =
        ["in", "into", "to", "under", "below", "on", "for", "of", "inside", "from", "app", "group"];
    let before = turn.text.find(quoted).map_or("", |at| turn.text.cut(..at));
    let word = before.trim_end_matches(|c: char| !c.is_alphanumeric()).rsplit(' ').next().unwrap_or_default();
    PLACES.contains(&word.to_ascii_lowercase().as_str())
}

/// Words for "name" and "called". The name follows, and begins with a capital letter, a digit or holds an underscore.
const NAME_WORDS: [&str; 19] = [
    "name",
    "named",
    "called",
    "nome",
    "nom",
    "nombre",
    "namens",
    "genannt",
    "chamado",
    "chamada",
    "chama",
    "llamado",
    "llamada",
    "llamalo",
    "appelé",
    "appelée",
    "intitulé",
    "naam",
    "label",
];

/// Returns the rest of a text from a new name on: "with name Level Up Interstitial", "nome Puzzle Inter".
fn after_name_word(text: &str) -> Option<&str> {
    let tokens = crate::text::tokens(text);
    let at = tokens.iter().position(|token| NAME_WORDS.contains(&token.norm.as_str()))?;
    let next = tokens.get(at + 1).filter(|token| {
        let raw = text.cut(token.start..token.end);
        matches!(token.kind, crate::text::Kind::Word | crate::text::Kind::Id)
            && (token.capital || raw.contains('_') || raw.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    Some(text.cut(next.start..))
}

/// The most words of a name, if the whole message answers our question for the name.
const MOST_WORDS: usize = 6;

fn answered_name(turn: &Turn<'_>) -> Option<String> {
    let last = turn.request.planner.history.iter().rfind(|entry| entry.role != "user")?;
    let (_, asked) = last.content.split_once(super::label::ONE_MORE)?;
    let alone = asked.contains(" name**. ") && asked.matches("**").count() == 2;
    let answer = clean(turn.question());
    let short = (1..=MOST_WORDS).contains(&answer.split_whitespace().count()) && !turn.question().contains('?');
    let goes_on = turn.text.len() > turn.question().len();
    (alone && goes_on && short).then(|| answer.to_owned())
}

/// Returns the answer to our question for one field, which it finds by the words of that question. The last answer counts.
pub(super) fn answered_field(turn: &Turn<'_>, label: &str) -> Option<String> {
    const LEADS: [&str; 8] =
        ["with the name ", "use the name ", "the name is ", "it should be ", "it is ", "call it ", "make it ", "use "];
    if !turn.goes_on {
        return None;
    }
    let history = &turn.request.planner.history;
    let asked = |at: usize| -> Option<&str> {
        let entry = history.get(at).filter(|entry| entry.role != "user")?;
        let (_, asked) = entry.content.split_once(super::label::ONE_MORE)?;
        (asked.matches("**").count() == 2).then_some(())?;
        asked.strip_prefix("**")?.split("**").next()
    };
    let at = (0..history.len()).rev().find(|at| asked(*at).is_some_and(|own| own == plain(label)))?;
    let answer = history.get(at + 1).map_or(turn.question(), |entry| entry.content.as_str());
    let lower = answer.to_ascii_lowercase();
    let lead = LEADS.iter().find(|lead| lower.starts_with(**lead)).map_or(0, |lead| lead.len());
    let answer = clean(answer.cut(lead..));
    let short = (1..=MOST_WORDS).contains(&answer.split_whitespace().count()) && !answer.contains('?');
    short.then(|| answer.to_owned())
}

/// Returns the new name of an existing thing, but only if the message renames it. "Pause the one called X" names the thing.
fn other_name(turn: &Turn<'_>, spoken: &str) -> Result<Option<String>, Box<Step>> {
    let lead = ["rename", "change the name", "change its name", "set the name", "set its name", "new name"]
        .iter()
        .find_map(|lead| spoken.find(lead).map(|at| at + lead.len()));
    if let Some(lead) = lead
        && let Some(at) = spoken.cut(lead..).find(" to ").map(|at| lead + at + 4)
    {
        let rest = turn.text.cut(at..);
        let quoted = names::quoted(rest).into_iter().find(|name| rest.find(name.as_str()).is_some_and(|at| at <= 4));
        let name = match quoted {
            Some(name) => name,
            None => match words::name_end(rest, &known_names(turn)) {
                Ok(end) => clean(rest.cut(..end)).to_owned(),
                Err(()) => {
                    return back("I can't tell where the new name ends. What is the new name? Put it in quotes.");
                }
            },
        };
        return fitting(name);
    }
    let answers = ["with the name ", "use the name ", "new name "].iter().any(|lead| spoken.contains(lead));
    if answers { new_name(turn) } else { Ok(None) }
}

/// Returns the price and its currency. The answer to our question for a price may be just the number.
fn price(turn: &Turn<'_>, bare: &str) -> Result<(Option<i64>, Option<String>), Box<Step>> {
    let mut price = words::price(bare);
    // "set Fyber to 0.7 in the waterfall": the value that a line is set to is its price.
    if price == Price::Unsaid && of_a_line(turn) {
        price = words::price(&format!("price {bare}"));
    }
    if matches!(price, Price::Ask(_)) && turn.goes_on {
        price = match words::price(&format!("price {}", turn.question())) {
            Price::Unsaid => words::price(&format!("price to {}", turn.question())),
            other => other,
        };
    }
    match price {
        Price::Unsaid => Ok((None, None)),
        Price::Is(micros, currency) => Ok((Some(micros), currency)),
        Price::Ask(question) => back(question),
    }
}

/// Handles "raise the floor by 10%": the new price follows from the current one.
fn step(turn: &Turn<'_>, bare: &str) -> Option<Move> {
    let said = match words::price(bare) {
        Price::Unsaid if of_a_line(turn) => words::price(&format!("price {bare}")),
        said => said,
    };
    // "10% off" and "halve it" say no amount.
    let open = matches!(said, Price::Unsaid) || said == Price::Ask(words::NEW);
    (open && !turn.goes_on).then(|| wish::step(&bare.to_lowercase())).flatten()
}

/// Checks whether the message changes a line of a waterfall.
fn of_a_line(turn: &Turn<'_>) -> bool {
    let line = matches!(turn.understood.noun.as_deref(), Some("waterfall" | "bidder" | "instance"));
    line && turn.understood.verb == "update" && source(turn).is_some()
}

fn format_in(lower: &str) -> Option<String> {
    if ["mrec", "medium rectangle"].iter().any(|word| contains_word(lower, word)) {
        return Some("mrec".to_owned());
    }
    names::format_in(lower).map(str::to_lowercase)
}

/// Returns a package such as `com.example.puzzle`, also from a store address.
fn package(text: &str) -> Option<String> {
    let fits = |word: &str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() >= 3
            && parts.iter().all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphabetic())
                    && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            })
    };
    text.split(|c: char| c.is_whitespace() || matches!(c, '=' | '&' | '?' | '/' | ',' | '"' | '\'' | '(' | ')'))
        .map(clean)
        .find(|word| {
            fits(word) && !word.starts_with("www.") && !word.starts_with("apps.") && !word.starts_with("play.")
        })
        .map(str::to_owned)
}

/// Returns a network that is not among the asked ones, in the person's own spelling, because we don't know how a mediator spells it.
pub(super) fn source(turn: &Turn<'_>) -> Option<String> {
    let mut text = turn.text.clone();
    for quoted in names::quoted(&turn.text) {
        text = text.replace(&quoted, " ");
    }
    let tokens = crate::text::tokens(&text);
    (0..tokens.len()).find_map(|at| {
        let len = match (NETWORKS.at(&tokens, at), OTHER_SOURCES.at(&tokens, at)) {
            (Some((network, len)), _) if !turn.view.contains(&network) => len,
            (None, Some((_, len))) => len,
            _ => return None,
        };
        text.get(tokens[at].start..tokens[at + len - 1].end).map(str::to_owned)
    })
}

fn children(lower: &str) -> Option<bool> {
    let has = |words: &[&str]| words.iter().any(|word| contains_word(lower, word));
    if has(&[
        "not directed to children",
        "not directed at children",
        "not child directed",
        "not child-directed",
        "no coppa",
        "coppa no",
        "coppa false",
        "coppa: no",
        "coppa: false",
        "coppa off",
        "coppa 0",
        "not for children",
        "not for kids",
        "without coppa",
        "non-coppa",
    ]) {
        Some(false)
    } else if has(&[
        "directed to children",
        "directed at children",
        "child directed",
        "child-directed",
        "coppa yes",
        "coppa true",
        "coppa: yes",
        "coppa: true",
        "coppa on",
        "coppa 1",
        "for children",
        "for kids",
    ]) {
        Some(true)
    } else {
        None
    }
}

/// Reads "live in store" or "published". It looks for "not live yet" first, because that contains the other words.
fn in_store(spoken: &str) -> Option<bool> {
    let has = |words: &[&str]| words.iter().any(|word| contains_word(spoken, word));
    let not = ["not", "isn't", "isn’t", "not yet", "never", "yet to be", "no longer"];
    let live = ["live", "published", "in the store", "in store", "in a store", "on the store"];
    if has(&["unpublished", "unreleased", "prelaunch", "pre-launch"])
        || not.iter().any(|no| live.iter().any(|word| contains_word(spoken, &format!("{no} {word}"))))
    {
        return Some(false);
    }
    has(&["live", "published", "already in the store", "already in store"]).then_some(true)
}

/// Returns the things of a kind in this network that the message names.
pub(super) fn named<'t>(
    turn: &'t Turn<'_>,
    network: adagent_domain::Network,
    kind: EntityKind,
) -> Vec<&'t adagent_contract::EntityItem> {
    let kind = super::tool::own_kind(network, kind);
    names::mentioned(turn, kind, &turn.text).into_iter().filter(|item| item.network == network).collect()
}

/// Returns a value for a field in the type that the schema wants: a number, yes or no, or a text.
pub(super) fn typed(text: &str, schema: &Json) -> Option<Json> {
    if let Some(options) = schema["enum"].as_array() {
        let same = |option: &&Json| {
            let own = option.as_str().map_or_else(|| option.to_string(), str::to_owned);
            names::simple(&own) == names::simple(text)
        };
        // The text may be a word for a number, such as "sandbox".
        let meant = || {
            let meanings = super::label::meanings(schema);
            meanings.into_iter().find(|(_, meaning)| names::simple(meaning) == names::simple(text)).map(|(own, _)| own)
        };
        let flag = || {
            let yes = match names::simple(text).as_str() {
                "yes" | "true" | "on" => 1,
                "no" | "false" | "off" => 0,
                _ => return None,
            };
            options.iter().all(|own| matches!(own.as_i64(), Some(0 | 1))).then(|| Json::from(yes))
        };
        return options.iter().find(same).cloned().or_else(meant).or_else(flag);
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    match schema["type"].as_str()? {
        "integer" => first.parse::<i64>().ok().map(Json::from),
        "number" => first.trim_start_matches('$').parse::<f64>().ok().filter(|n| n.is_finite()).map(Json::from),
        "boolean" => match first.to_lowercase().as_str() {
            "yes" | "true" | "on" => Some(true.into()),
            "no" | "false" | "off" => Some(false.into()),
            _ => None,
        },
        "string" => Some(text.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_bare_and_in_store_addresses() {
        assert_eq!(package("create app com.example.puzzle on android").as_deref(), Some("com.example.puzzle"));
        let store = "https://play.google.com/store/apps/details?id=com.example.puzzle&hl=en";
        assert_eq!(package(store).as_deref(), Some("com.example.puzzle"));
        assert_eq!(package("set the floor to 2.5.").as_deref(), None);
    }

    #[test]
    fn what_is_in_a_store_is_said_in_more_than_one_way() {
        for (wish, wanted) in [
            ("create a mintegral app, live in store", Some(true)),
            ("the app is published", Some(true)),
            ("it's live on google play", Some(true)),
            ("it is not live in the store", Some(false)),
            ("the app isn't published yet", Some(false)),
            ("not yet live", Some(false)),
            ("still unpublished", Some(false)),
            ("create a mintegral app called x", None),
        ] {
            assert_eq!(in_store(wish), wanted, "{wish}");
        }
    }

    #[test]
    fn children_are_only_taken_from_words_about_them() {
        assert_eq!(children("not directed at children"), Some(false));
        assert_eq!(children("coppa yes"), Some(true));
        assert_eq!(children("create an app"), None);
    }
}
