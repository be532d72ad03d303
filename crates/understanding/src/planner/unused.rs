//! Finds words of a question that became no slot, no name, no verb and no grammar, and versions and devices that we read as their platform.
//! This must stay silent about ordinary talk, or nobody reads the note.

use super::{format::plain, names, read::Turn};
use crate::FilterValue;
use crate::dates;
use crate::text::{Kind, Token};
use crate::vocab::countries::GROUPS;
use crate::vocab::dimensions::{DIMENSIONS, FORMATS, PLATFORMS, TIME_WORDS};
use crate::vocab::metrics::{METRICS, NOT_METRICS};
use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};
use crate::vocab::nouns::NOUNS;
use crate::vocab::spelling::{is_common, is_domain_word};
use crate::vocab::verbs::{ANALYSIS, READS, WRITES};

/// Returns versions and devices in the text: "Android 14", "iPhone 15", "iPads". AdMob's platforms are less exact.
pub(super) fn versions(turn: &Turn<'_>, text: &str, tokens: &[Token]) -> Vec<String> {
    let periods = dates::named_periods(tokens, turn.today);
    let free = |at: usize| !periods.iter().any(|p| (p.at..p.end()).contains(&at));
    let mut out: Vec<String> = Vec::new();
    for at in 0..tokens.len() {
        let device = tokens[at].any(&[
            "iphone",
            "ipad",
            "tablet",
            "pixel",
            "samsung",
            "galaxy",
            "xiaomi",
            "huawei",
            "smartphone",
        ]);
        let platform = PLATFORMS.at(tokens, at).map(|(_, len)| len);
        let Some(len) = platform.or(device.then_some(1)) else { continue };
        let number = tokens.get(at + len).filter(|t| {
            matches!(t.kind, Kind::Number(n) if n < 60.0)
                && free(at + len)
                && !tokens.get(at + len + 1).is_some_and(|next| {
                    matches!(next.kind, Kind::Punct('%' | '$'))
                        || DIMENSIONS.at(tokens, at + len + 1).is_some()
                        || METRICS.at(tokens, at + len + 1).is_some()
                })
        });
        if device || number.is_some() {
            let end = number.map_or(tokens[at + len - 1].end, |t| t.end);
            let said = plain(text.get(tokens[at].start..end).unwrap_or_default());
            if !out.contains(&said) {
                out.push(said);
            }
        }
    }
    out
}

/// Checks whether any table holds the word at `at`.
pub(super) fn known(text: &str, tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let phrase = |from: usize| {
        [
            METRICS.at(tokens, from).map(|f| f.1),
            NOT_METRICS.at(tokens, from).map(|f| f.1),
            DIMENSIONS.at(tokens, from).map(|f| f.1),
            TIME_WORDS.at(tokens, from).map(|f| f.1),
            FORMATS.at(tokens, from).map(|f| f.1),
            PLATFORMS.at(tokens, from).map(|f| f.1),
            NETWORKS.at(tokens, from).map(|f| f.1),
            OTHER_SOURCES.at(tokens, from).map(|f| f.1),
            NOUNS.at(tokens, from).map(|f| f.1),
            WRITES.at(tokens, from).map(|f| f.1),
            READS.at(tokens, from).map(|f| f.1),
            ANALYSIS.at(tokens, from).map(|f| f.1),
            GROUPS.at(tokens, from).map(|f| f.1),
            super::beyond::FOREIGN.at(tokens, from).map(|f| f.1),
            crate::slots::country_at(text, tokens, from).map(|f| f.1),
        ]
        .into_iter()
        .flatten()
        .any(|len| from + len > at)
    };
    is_common(&token.norm)
        || is_common(&token.stem)
        || is_domain_word(token)
        || crate::route::signals::knows(&token.norm)
        || token.number().is_some()
        || (at.saturating_sub(3)..=at).any(phrase)
}

/// Words that are no names but appear where a name could: who the numbers are for, and how to present them.
const PLAIN: &[&str] = &[
    "board",
    "boss",
    "meeting",
    "invoice",
    "spreadsheet",
    "deck",
    "finance",
    "investors",
    "accounting",
    "presentation",
    "summer",
    "winter",
    "spring",
    "autumn",
    "fall",
    "average",
    "mean",
    "wow",
    "mom",
    "yoy",
    "dod",
    "qoq",
    "total",
    "short",
    "performance",
    "interest",
    "curiosity",
    "reference",
    "pls",
    "plz",
    "fell",
    "tanked",
    "rose",
    "ranking",
    "rank",
    "excluding",
    "excl",
    "earn",
    "earned",
    "lately",
    "recently",
    "wise",
    "higher",
    "lower",
    "during",
    "split",
    "zero",
    "cent",
    "cents",
    "dollar",
    "dollars",
    "perform",
    "performed",
    "performing",
    "coming",
    "lost",
    "made",
    "brought",
];

/// Checks for a word that is no name but appears where a name could.
pub(super) fn is_plain(word: &str) -> bool {
    PLAIN.contains(&word)
}

/// Checks whether a word is where only a restriction of numbers would be: after "of", "in", "only" …, or capitalized.
fn named(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let mut before = at;
    while before > 0 && tokens[before - 1].any(&["the", "my", "our", "this", "that"]) {
        before -= 1;
    }
    let led = before > 0
        && tokens[before - 1].any(&[
            "about",
            "of",
            "for",
            "in",
            "from",
            "only",
            "on",
            "without",
            "excluding",
            "at",
            "with",
            "using",
            "via",
            "among",
        ]);
    let whose = tokens.get(at + 1).is_some_and(|t| t.any(&["user", "player", "traffic", "device", "customer"]));
    let opens = at == 0 || tokens[at - 1].is_stop();
    let figure = METRICS.at(tokens, at + 1).is_some()
        || (at.saturating_sub(3)..at).any(|from| METRICS.at(tokens, from).is_some_and(|(_, len)| from + len == at));
    let metrics = (0..tokens.len()).any(|i| METRICS.at(tokens, i).is_some());
    // "ebitda last month": the metric itself may be unknown.
    let alone = !metrics && tokens.get(at + 1).is_some_and(|t| t.any(&["last", "this", "yesterday", "today"]));
    led || whose || figure || alone || token.capital && !opens
}

/// Returns the words of the question that became no slot, no name, no verb and no grammar. It returns only words that could restrict
/// numbers, because people say much more than that.
pub(super) fn unused(turn: &Turn<'_>) -> Vec<String> {
    let question = turn.question();
    let reading = crate::route::reading::Reading::new(question, turn.today, &turn.entities);
    let tokens = &reading.tokens;
    let periods = dates::named_periods(tokens, turn.today);
    let slots = turn.understood.slots.clone().unwrap_or_default();
    let values: Vec<String> = slots
        .filters
        .iter()
        .flat_map(|f| match &f.value {
            FilterValue::In(list) | FilterValue::Not { not: list } => list.clone(),
            FilterValue::Compare(_) => Vec::new(),
        })
        .map(|value| format!(" {} ", names::simple(&value)))
        .chain(turn.entities.iter().map(|e| format!(" {} ", names::simple(&e.name))))
        .collect();
    let raw = crate::text::fold(question);
    // A number counts as used if it is a row limit, a limit on numbers, or the version of a platform.
    let counted = |n: f64| {
        let near = |other: f64| (other - n).abs() < 1e-9 || (other - n / 100.0).abs() < 1e-9;
        slots.limit.is_some_and(|limit| near(f64::from(limit)))
            || slots.filters.iter().any(|f| match &f.value {
                FilterValue::Compare(limits) => limits.values().any(|v| near(*v) || near(v / 1e3) || near(v / 1e6)),
                _ => false,
            })
            || n < 1.0 && n.fract() > 0.0
    };
    let versions = versions(turn, &reading.text, tokens).join(" ");
    let mut out: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let content = match token.kind {
            Kind::Word => {
                token.norm.len() > 2
                    && token.norm.is_ascii()
                    && named(tokens, at)
                    && !known(&reading.text, tokens, at)
                    && !PLAIN.contains(&token.norm.as_str())
            }
            Kind::Literal => true,
            // "the 7 before", "top -3"
            Kind::Number(_) if tokens.get(at + 1).is_some_and(|t| t.is_punct('%')) => {
                !slots.filters.iter().any(|f| matches!(f.value, FilterValue::Compare(_)))
            }
            Kind::Number(n) => {
                !counted(n)
                    && !tokens.get(at + 1).is_some_and(|t| t.any(&["before", "earlier", "prior", "preceding"]))
                    && !at.checked_sub(1).is_some_and(|i| tokens[i].is_punct('-'))
            }
            _ => false,
        };
        let simple = names::simple(&token.norm);
        if !content
            || simple.is_empty()
            || periods.iter().any(|p| (p.at..p.end()).contains(&at))
            || values.iter().any(|value| value.contains(&format!(" {simple} ")))
            || versions.contains(&token.norm) && matches!(token.kind, Kind::Number(_))
            || names::simple(&versions).split(' ').any(|word| word == simple)
            || slots.rank.is_some() && token.norm.starts_with(|c: char| c.is_ascii_digit())
            || slots.rank.is_some() && dates::is_place(&token.norm)
            // A word that only the tables of other languages produced is not the person's own word.
            || !raw.contains(&token.norm.to_lowercase())
        {
            continue;
        }
        let said = reading.text.get(token.start..token.end).unwrap_or(&token.norm).to_owned();
        if !out.contains(&said) {
            out.push(said);
        }
    }
    out
}
