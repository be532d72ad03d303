//! Finds what a person named: apps, ad units, ad sources and groups by name or ID; platforms, formats and countries by word. An app, ad
//! unit, ad source or group that it returns is always one of the entities it was given.

use std::borrow::Cow;

use adagent_contract::{EntityItem, EntityKind};
use adagent_domain::Cut as _;
use unicode_normalization::UnicodeNormalization;

use super::read::Turn;

/// The lowest similarity at which a name counts as close.
const CLOSE: f64 = 0.72;

/// The lowest share of equal letters at which a name counts as a misspelling: at most one slip per eight letters.
const SAME: f64 = 0.87;

#[derive(Debug)]
pub(super) enum Found<'t> {
    One(&'t EntityItem),
    Several(Vec<&'t EntityItem>),
    /// Nothing matches; these names are similar.
    Nothing(Vec<&'t EntityItem>),
}

/// Returns a text in lower case and compatibility form, with single spaces for everything but letters and digits.
pub(super) fn simple(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    simplify(text, &mut out);
    out
}

/// Like [`simple`], but writes into `out` and replaces its content, because we search hundreds of names.
fn simplify(text: &str, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        push_simple(text.chars().map(|c| c.to_ascii_lowercase()), out);
    } else {
        push_simple(text.nfkc().flat_map(char::to_lowercase), out);
    }
}

fn push_simple(letters: impl Iterator<Item = char>, out: &mut String) {
    for c in letters {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
    }
    if out.ends_with(' ') {
        out.pop();
    }
}

/// Returns other names of an ad source than the one that AdMob lists. `name` is the item's name in its simple form.
fn other_names(item: &EntityItem, name: &str) -> &'static [&'static str] {
    const KNOWN: [(&str, &[&str]); 7] = [
        ("meta", &["facebook", "meta audience network", "fan"]),
        ("facebook", &["meta", "fan"]),
        ("liftoff", &["vungle"]),
        ("vungle", &["liftoff"]),
        ("dt exchange", &["digital turbine", "fyber", "dtexchange", "dt"]),
        ("ironsource", &["iron source", "levelplay", "is"]),
        ("unity", &["unity ads"]),
    ];
    if item.kind != EntityKind::AdSource {
        return &[];
    }
    KNOWN.iter().find(|(start, _)| name.starts_with(start)).map_or(&[], |(_, names)| *names)
}

/// Returns the name without words that only say what kind of source it is.
pub(super) fn stem(item: &EntityItem) -> String {
    stem_of(item, &simple(&item.name)).into_owned()
}

/// Like [`stem`]; `name` is the item's name in its simple form.
fn stem_of<'n>(item: &EntityItem, name: &'n str) -> Cow<'n, str> {
    if item.kind != EntityKind::AdSource {
        return Cow::Borrowed(name);
    }
    let words = name
        .split(' ')
        .filter(|word| {
            !matches!(*word, "bidding" | "ads" | "network" | "monetize" | "sdk" | "waterfall" | "exchange" | "audience")
        })
        .collect::<Vec<_>>();
    Cow::Owned(words.join(" "))
}

pub(super) fn holds(text: &str, words: &str) -> bool {
    !words.is_empty() && super::read::contains_word(text, words)
}

/// Looks one name up among candidates: by ID, then by the whole name, then by part of a name, then by spelling.
pub(super) fn find<'t>(candidates: &[&'t EntityItem], wanted: &str) -> Found<'t> {
    let by_id: Vec<&EntityItem> = candidates
        .iter()
        .copied()
        .filter(|e| e.id == wanted.trim() || e.id.ends_with(&format!("/{}", wanted.trim())))
        .collect();
    if let [one] = by_id.as_slice() {
        return Found::One(one);
    }
    let want = simple(wanted);
    if want.is_empty() {
        return Found::Nothing(Vec::new());
    }
    let tests: [&dyn Fn(&EntityItem) -> bool; 4] = [
        &|e| simple(&e.name) == want,
        &|e| stem(e) == want || other_names(e, &simple(&e.name)).contains(&want.as_str()),
        &|e| holds(&simple(&e.name), &want),
        // One letter may be wrong, but another platform means another thing.
        &|e| {
            strsim::normalized_damerau_levenshtein(&simple(&e.name), &want) >= SAME
                && platform_in(&e.name.to_lowercase()) == platform_in(&wanted.to_lowercase())
        },
    ];
    for test in tests {
        let fits: Vec<&EntityItem> = candidates.iter().copied().filter(|e| test(e)).collect();
        match fits.as_slice() {
            [] => {}
            [one] => return Found::One(one),
            _ => return Found::Several(fits),
        }
    }
    Found::Nothing(close(candidates, &want))
}

/// Returns candidates with similar names, best first.
pub(super) fn close<'t>(candidates: &[&'t EntityItem], want: &str) -> Vec<&'t EntityItem> {
    let mut scored: Vec<(f64, &EntityItem)> = candidates
        .iter()
        .map(|e| (strsim::jaro_winkler(&simple(&e.name), want), *e))
        .filter(|(s, _)| *s >= CLOSE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(4).map(|(_, e)| e).collect()
}

/// Returns the entities of a kind whose name or ID is in the text. A longer name hides the shorter ones inside it.
pub(super) fn mentioned<'t>(turn: &'t Turn<'_>, kind: EntityKind, text: &str) -> Vec<&'t EntityItem> {
    let simple_text = simple(text);
    let mut hits: Vec<(String, &EntityItem)> = Vec::new();
    let mut name = String::new();
    // Most IDs contain a digit, and most questions contain none, so this skips most searches.
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    let can_hold = |id: &str| digits || !id.bytes().any(|b| b.is_ascii_digit());
    for item in turn.of_kind(kind) {
        simplify(&item.name, &mut name);
        let by_id = can_hold(&item.id) && text.contains(&item.id)
            || item
                .id
                .rsplit('/')
                .next()
                .is_some_and(|tail| tail.len() >= 8 && can_hold(tail) && super::read::contains_word(text, tail));
        let stem = stem_of(item, &name);
        let spelled = [name.as_str(), &*stem]
            .into_iter()
            .chain(other_names(item, &name).iter().copied().filter(|n| n.len() > 2))
            // Everything here is in AdMob, so "admob" alone does not mean the ad source of that name.
            .filter(|n| n.len() > 1 && *n != "admob" && holds(&simple_text, n))
            .max_by_key(|n| n.len());
        if by_id {
            hits.push((item.id.clone(), item));
        } else if let Some(words) = spelled {
            hits.push((words.to_owned(), item));
        }
    }
    // If several have the same name, an ID says which one the person means.
    if kind != EntityKind::AdSource && hits.iter().any(|(words, item)| *words == item.id) {
        hits.retain(|(words, item)| *words == item.id);
    }
    let spans: Vec<String> = hits.iter().map(|(words, _)| words.clone()).collect();
    hits.retain(|(words, item)| {
        item.id == *words
            || !spans.iter().any(|other| {
                other.len() > words.len() && holds(other, words) && only_inside(&simple_text, words, other)
            })
    });
    hits.into_iter().map(|(_, item)| item).collect()
}

/// Checks whether `short` occurs in the text only as a part of `long`.
pub(super) fn only_inside(text: &str, short: &str, long: &str) -> bool {
    !holds(&text.replace(long, " "), short)
}

pub(super) fn platform_label(platform: &str) -> &str {
    match platform.to_ascii_lowercase().as_str() {
        "android" => "Android",
        "ios" => "iOS",
        _ => platform,
    }
}

pub(super) fn format_label(format: &str) -> String {
    let words = format.to_lowercase().replace('_', " ");
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// Returns `ANDROID` or `IOS` if the text names exactly one platform.
pub(super) fn platform_in(lower: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|w| super::read::contains_word(lower, w));
    match (has(&["android", "google play", "play store"]), has(&["ios", "iphone", "ipad", "app store"])) {
        (true, false) => Some("ANDROID"),
        (false, true) => Some("IOS"),
        _ => None,
    }
}

/// Returns the format that the text names, in AdMob's spelling. Longer names come first, because "rewarded interstitial" is neither of its
/// two words.
pub(super) fn format_in(lower: &str) -> Option<&'static str> {
    const FORMATS: [(&str, &str); 14] = [
        ("rewarded interstitial", "REWARDED_INTERSTITIAL"),
        ("rewarded-interstitial", "REWARDED_INTERSTITIAL"),
        ("app open", "APP_OPEN"),
        ("app-open", "APP_OPEN"),
        ("appopen", "APP_OPEN"),
        ("interstitial", "INTERSTITIAL"),
        ("interstitials", "INTERSTITIAL"),
        ("inter", "INTERSTITIAL"),
        ("rewarded", "REWARDED"),
        ("rewarded video", "REWARDED"),
        ("banner", "BANNER"),
        ("banners", "BANNER"),
        ("native", "NATIVE"),
        ("natives", "NATIVE"),
    ];
    FORMATS.iter().find(|(word, _)| super::read::contains_word(lower, word)).map(|(_, wire)| *wire)
}

/// Returns how many tokens a network, source, platform, format, kind of thing or country takes at `at`. Such words alone are no name.
fn ordinary_at(text: &str, tokens: &[crate::text::Token], at: usize) -> Option<usize> {
    use crate::vocab::dimensions::{FORMATS, PLATFORMS};
    use crate::vocab::networks::{NETWORKS, OTHER_SOURCES};
    use crate::vocab::nouns::NOUNS;
    [NETWORKS.at(tokens, at).map(|f| f.1), OTHER_SOURCES.at(tokens, at).map(|f| f.1)]
        .into_iter()
        .chain([PLATFORMS.at(tokens, at).map(|f| f.1), FORMATS.at(tokens, at).map(|f| f.1)])
        .chain([NOUNS.at(tokens, at).map(|f| f.1), crate::slots::country_at(text, tokens, at).map(|f| f.1)])
        .flatten()
        .max()
}

/// Reads the name of a new thing without quotes, right after its kind: "a rewarded ad unit Daily Chest for Word Quest". Only capitalized
/// words, and numbers among them, make a name here. The name of an existing thing does not count.
pub(super) fn bare_name(turn: &Turn<'_>) -> Option<String> {
    use crate::text::Kind;
    use crate::vocab::nouns::NOUNS;
    let tokens = crate::text::tokens(&turn.text);
    let ordinary = |at: usize| ordinary_at(&turn.text, &tokens, at);
    NOUNS.all(&tokens).into_iter().find_map(|found| {
        let (from, mut end) = (found.end(), found.end());
        while tokens.get(end).is_some_and(|token| {
            token.kind == Kind::Word && token.capital || end > from && matches!(token.kind, Kind::Number(_))
        }) {
            end += 1;
        }
        let mut at = from;
        while at < end {
            match ordinary(at) {
                Some(len) => at += len,
                None => break,
            }
        }
        if at >= end {
            return None;
        }
        let name = turn.text.get(tokens[from].start..tokens[end - 1].end)?;
        // "for the app Tower Blast" says where the new thing goes, not what its name is.
        let lead = tokens[..found.at].iter().rev().find(|t| !t.any(&["the", "a", "an", "my", "our", "this", "new"]));
        if lead.is_some_and(|t| {
            t.any(&["for", "in", "of", "to", "on", "under", "below", "with", "from", "into", "inside"])
        }) {
            return None;
        }
        let said = simple(name);
        let known = turn.entities.iter().any(|item| {
            let rest = said.strip_prefix(simple(&item.name).as_str()).filter(|_| item.name.len() > 2);
            rest.is_some_and(|rest| {
                rest.split(' ').all(|word| word.is_empty() || platform_in(word).is_some() || format_in(word).is_some())
            })
        });
        (!known).then(|| name.to_owned())
    })
}

/// Words that may stand between two capitalized words of a name: "Fim de Fase".
const JOINTS: [&str; 10] = ["de", "da", "do", "of", "the", "du", "des", "la", "le", "el"];

/// Returns the one name in a text that is nothing known: two capitalized words or more, as in "a company Polar Coffee" and "register Pasta
/// Rush for iOS". `None` if there are several.
pub(super) fn own_words(turn: &Turn<'_>) -> Option<String> {
    use crate::text::Kind;
    use crate::vocab::dimensions::PLATFORMS;
    const PLACES: [&str; 17] = [
        "for", "in", "of", "on", "to", "from", "at", "into", "under", "para", "pour", "fur", "dans", "no", "do", "en",
        "app",
    ];
    let text = turn.question();
    let tokens = crate::text::tokens(text);
    let capital = |at: usize| tokens.get(at).is_some_and(|t| t.kind == Kind::Word && (t.capital || t.any(&["ios"])));
    let ordinary = |at: usize| ordinary_at(text, &tokens, at);
    // "a banner in Kart Rivals" says where the new thing goes.
    let placed = |at: usize| at.checked_sub(1).is_some_and(|at| tokens[at].any(&PLACES));
    let known: Vec<String> = turn.entities.iter().map(|item| simple(&item.name)).collect();
    let (mut at, mut found) = (0, Vec::new());
    while at < tokens.len() {
        // The first word of a sentence has a capital letter anyway.
        let opens =
            at == 0 || tokens[at - 1].is_punct('.') || tokens[at - 1].is_punct('!') || tokens[at - 1].is_punct('?');
        if !capital(at) || opens {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        while capital(end)
            || tokens.get(end).is_some_and(|t| t.any(&JOINTS)) && capital(end + 1)
            || tokens.get(end).is_some_and(|t| matches!(t.kind, Kind::Number(_)) && t.norm.len() <= 3)
        {
            end += 1;
        }
        let next = end;
        // "Kart Rivals Android" is Kart Rivals, on Android.
        if end - at > 2 && PLATFORMS.at(&tokens, end - 1).is_some() {
            end -= 1;
        }
        let plain = (at..end).all(|i| ordinary(i).is_some());
        let name = text.get(tokens[at].start..tokens[end - 1].end).unwrap_or_default();
        let first = ordinary(at).map_or(at, |len| at + len);
        if end - at >= 2 && !plain && first < end && !placed(at) && !known.contains(&simple(name)) {
            found.push(name.to_owned());
        }
        at = next;
    }
    match found.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    }
}

/// Returns the texts in quotation marks, one kind of marks after the other.
pub(super) fn quoted(text: &str) -> Vec<String> {
    /// More than anyone names in one message.
    const MOST: usize = 200;
    let mut out = Vec::new();
    for (open, close) in [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('\'', '\''), ('‘', '’')] {
        let mut rest = text;
        while let Some(start) = rest.find(open).filter(|_| out.len() < MOST) {
            let before = rest.cut(..start).chars().next_back();
            let after = rest.cut(start + open.len_utf8()..);
            // An apostrophe inside a word does not open a quotation.
            if open == '\'' && before.is_some_and(char::is_alphanumeric) {
                rest = after;
                continue;
            }
            let end = after.char_indices().find(|(at, c)| {
                *c == close
                    && (close != '\''
                        || !after.cut(at + c.len_utf8()..).chars().next().is_some_and(char::is_alphanumeric))
            });
            let Some((end, _)) = end else { break };
            let inner = after.cut(..end).trim();
            if !inner.is_empty() && !out.iter().any(|seen: &String| seen.contains(inner)) {
                out.push(inner.to_owned());
            }
            rest = after.cut(end + close.len_utf8()..);
        }
    }
    out
}

/// Returns the region codes of the countries in a text: by name, or by code in capitals.
pub(super) fn countries_in(text: &str) -> Vec<String> {
    use crate::vocab::countries::{NAMES, by_code};
    let lower = text.to_lowercase();
    let mut out: Vec<(usize, String)> = Vec::new();
    for (code, names) in NAMES {
        let place = names
            .split('|')
            // In lower case, "us" is a pronoun as often as a country.
            .filter(|name| *name != "us")
            .filter(|name| super::read::contains_word(&lower, name))
            .filter_map(|name| lower.find(name))
            .min();
        if let Some(at) = place {
            out.push((at, (*code).to_owned()));
        }
    }
    let mut at = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.len() == 2
            && word.chars().all(|c| c.is_ascii_uppercase())
            && let Some(code) = by_code(word)
        {
            out.push((at, code.to_owned()));
        }
        at += word.len() + 1;
    }
    out.sort();
    let mut codes: Vec<String> = Vec::new();
    for (_, code) in out {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

/// Returns `Japan` for `JP`, or the code itself if we know no name for it.
pub(super) fn country_label(code: &str) -> String {
    let names = crate::vocab::countries::NAMES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(code))
        .map(|(_, names)| *names);
    let Some(name) = names.and_then(|names| names.split('|').find(|name| name.len() > 3)) else {
        return code.to_uppercase();
    };
    let words = name.split(' ').map(|word| {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if !matches!(word, "and" | "of" | "the") => first.to_uppercase().chain(chars).collect(),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Returns an ID in the text that no known thing has: `ca-app-pub-…`, `pub-…`, and with `numbers` also a long number.
pub(super) fn unknown_id(turn: &Turn<'_>, numbers: bool) -> Option<String> {
    let known = |word: &str| {
        let tail = format!("/{word}");
        turn.entities.iter().any(|e| e.id == word || e.id.ends_with(&tail) || e.raw.to_string().contains(word))
    };
    turn.text
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '~' | '/')))
        .map(|word| word.trim_matches(['-', '/', '~']))
        .filter(|word| {
            word.starts_with("ca-app-pub-")
                || (word.starts_with("pub-") && word.len() == 20)
                || (numbers && word.len() >= 9 && word.bytes().all(|b| b.is_ascii_digit()))
        })
        .find(|word| !known(word))
        .map(str::to_owned)
}
