//! Turkish: chains of endings, with or without an apostrophe, with or without the special letters of its alphabet.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::arrange::{Role, Unit};
use super::pattern::{Ending, Form, Found, Table};
use super::pieces::{self, Kind, Piece};
use crate::tables::{common, dictionary, dimensions, metrics, networks, nouns, turkish::WORDS};

const PLURALS: [&str; 2] = ["lar", "ler"];
const OWNERS: [&str; 27] = [
    "im", "um", "imiz", "umuz", "miz", "muz", "m", "in", "un", "n", "iniz", "unuz", "i", "u", "si", "su", "lari",
    "leri", "sinin", "sunun", "inin", "unun", "sini", "sunu", "ini", "unu", "sinda",
];
/// Case endings, with the prepositions that they mean.
const CASES: [(&str, &str); 39] = [
    ("", ""),
    ("i", ""),
    ("u", ""),
    ("yi", ""),
    ("yu", ""),
    ("ni", ""),
    ("nu", ""),
    ("nin", ""),
    ("nun", ""),
    ("in", ""),
    ("un", ""),
    ("a", "to"),
    ("e", "to"),
    ("ya", "to"),
    ("ye", "to"),
    ("na", "to"),
    ("ne", "to"),
    ("da", "in"),
    ("de", "in"),
    ("ta", "in"),
    ("te", "in"),
    ("nda", "in"),
    ("nde", "in"),
    ("daki", "in"),
    ("deki", "in"),
    ("taki", "in"),
    ("teki", "in"),
    ("ndaki", "in"),
    ("ndeki", "in"),
    ("dan", "from"),
    ("den", "from"),
    ("tan", "from"),
    ("ten", "from"),
    ("ndan", "from"),
    ("nden", "from"),
    ("la", "with"),
    ("le", "with"),
    ("yla", "with"),
    ("yle", "with"),
];
const LAST: [&str; 14] =
    ["", "dir", "dur", "tir", "tur", "ki", "kiler", "kilerin", "kileri", "kini", "mi", "mu", "ler", "lar"];
/// Endings of orders and wishes.
const ORDERS: &str = " in un iniz unuz yin yun sana sene sin sun elim alim yelim yalim er ar ir ur r ebilir abilir yebilir yabilir mek mak ecegim acagim yecegim yacagim iver meni mani meli mali mem mam eyim ayim ip up yip yup se sa meniz maniz";
const DENIALS: &str = "me ma meyin mayin meyiniz mesin masin memek mamak meyelim mayalim";

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(WORDS, ending));

/// English ad terms that take Turkish endings: "placementlari", "admobda".
static TRADE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let names = networks::NETWORKS.iter().map(|row| row.1).chain(networks::OTHER_SOURCES.iter().map(|row| row.1));
    let things = nouns::NOUNS.iter().chain(metrics::METRICS).chain(dimensions::DIMENSIONS).map(|row| row.1);
    let kinds = dimensions::FORMATS.iter().chain(dimensions::PLATFORMS).map(|row| row.1);
    let words = names.chain(things).chain(kinds).flat_map(|spellings| spellings.split('|'));
    let parts = words.flat_map(|spelling| {
        let parts = spelling.split(' ');
        parts.filter(move |word| *word == spelling || word.len() > 2 && !COMMON_WORDS.contains(word))
    });
    parts.filter(|word| word.is_ascii() && word.len() > 1).chain(["floor", "bid"]).collect()
});

static COMMON_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| common::COMMON.split_whitespace().collect());

/// Words of other languages with Latin letters. A text with more of these than of Turkish words is not Turkish.
static OTHERS: LazyLock<Vec<HashSet<&'static str>>> = LazyLock::new(|| {
    let rows = dictionary::SPACED.iter().map(|row| super::pattern::rows(row));
    rows.map(|pairs| pairs.map(|(foreign, _)| foreign).filter(|word| word.len() > 1).collect()).collect()
});

fn case(tail: &str) -> Option<&'static str> {
    let plain = |tail: &str| {
        LAST.iter().find_map(|last| {
            let tail = tail.strip_suffix(last)?;
            CASES.iter().find(|(case, _)| *case == tail).map(|(_, english)| *english)
        })
    };
    let owned =
        |tail: &str| plain(tail).or_else(|| OWNERS.iter().find_map(|owner| tail.strip_prefix(owner).and_then(plain)));
    owned(tail).or_else(|| PLURALS.iter().find_map(|plural| tail.strip_prefix(plural).and_then(owned)))
}

fn ending(tail: &str, form: Form) -> Option<Ending> {
    match form {
        Form::Whole => tail.is_empty().then(Ending::default),
        Form::Noun => {
            let many = PLURALS.iter().any(|plural| tail.starts_with(plural));
            case(tail).map(|case| Ending { case, many, ..Ending::default() })
        }
        Form::Order if ORDERS.split(' ').any(|order| order == tail) => Some(Ending::default()),
        Form::Order => DENIALS.split(' ').any(|no| no == tail).then(|| Ending { not: true, ..Ending::default() }),
    }
}

/// Lowercases a word and removes the dots and hooks of its letters, as people type on a phone.
fn fold(word: &str) -> String {
    let plain = |c: char| match c {
        'ı' | 'î' => Some('i'),
        'ğ' => Some('g'),
        'ş' => Some('s'),
        'ç' => Some('c'),
        'ö' => Some('o'),
        'ü' | 'û' => Some('u'),
        'â' => Some('a'),
        '\u{307}' => None,
        other => Some(other),
    };
    word.chars().flat_map(char::to_lowercase).filter_map(plain).collect()
}

/// Checks quickly, before the text is cut, whether a text without a special Turkish letter may be Turkish.
pub(super) fn may_be(text: &str) -> bool {
    let english = text.split_whitespace().filter(|word| dictionary::ENGLISH.contains(word)).count();
    english < 3
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

/// Keeps all letters of IDs, addresses and sizes, except for an ending after an apostrophe.
fn settled(pieces: &[Piece]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while at < pieces.len() {
        let end = (at..pieces.len()).find(|i| {
            pieces[*i].kind == Kind::Gap
                || pieces[*i].text.len() > 1
                    && pieces[*i].kind == Kind::Other
                    && !pieces[*i].text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '%' || c == '$')
        });
        let end = end.unwrap_or(pieces.len());
        if end == at {
            out.push(pieces[at].clone());
            at += 1;
            continue;
        }
        let mut run = &pieces[at..end];
        while let [rest @ .., last] = run
            && last.word.is_empty()
            && !last.text.chars().any(char::is_alphanumeric)
        {
            run = rest;
        }
        let apostrophe = run.iter().rposition(|piece| matches!(piece.text.as_str(), "'" | "’"));
        let (body, tail) = match apostrophe {
            Some(mark) if mark > 0 && mark + 2 == run.len() && !run[mark + 1].word.is_empty() => {
                (&run[..mark], Some(run[mark + 1].word.as_str()))
            }
            _ => (run, None),
        };
        let text: String = body.iter().map(|piece| piece.text.as_str()).collect();
        if is_opaque(&text) {
            out.push(Piece::other(text));
        } else {
            out.extend(body.iter().cloned());
            glued(&mut out);
        }
        if let (Some(tail), Some(last)) = (tail, out.last_mut()) {
            last.case = case(tail).unwrap_or("");
        }
        at += run.len();
        while at < end {
            out.push(pieces[at].clone());
            at += 1;
        }
    }
    out
}

/// Handles an ending at a number: "0.4ten", "%30u".
fn glued(out: &mut Vec<Piece>) {
    let [.., number, letters] = out.as_mut_slice() else { return };
    if number.text.ends_with(|c: char| c.is_ascii_digit()) && letters.word.len() > 1 || number.text.starts_with('%') {
        if letters.word.is_empty() {
            return;
        }
        if let Some(found) = case(&letters.word) {
            number.case = found;
            out.pop();
        }
    }
}

fn is_opaque(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let led = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let split = led.chars().any(|c| c.is_ascii_digit());
    let dotted = text.split('.').count() > 2 && text.split('.').all(|part| part.starts_with(char::is_alphabetic));
    text.contains(['_', '@', '~'])
        || text.contains("://")
        || dotted
        || text.starts_with("ca-app")
        || letters > 0 && digits >= 2 && split
}

fn is_turkish(text: &str, pieces: &[Piece], words: &[&Piece]) -> bool {
    let own = usize::from(text.contains(['ğ', 'ı', 'ş', 'İ', 'Ş', 'Ğ']));
    // Two signs of Turkish: an ending after an apostrophe ("instance'lar") and a doubled word ("app app").
    let ended = pieces.windows(3).any(|run| {
        let tail = run[2].word.as_str();
        let mark = matches!(run[1].text.as_str(), "'" | "’") && run[0].text.len() > 2 && run[0].kind != Kind::Gap;
        mark && tail.len() > 1 && case(tail).is_some()
    });
    let twice = words.windows(2).any(|pair| pair[0].word == pair[1].word && crate::lexicon::splits(&pair[0].word));
    let own = own + usize::from(ended) + usize::from(twice);
    let english = words.iter().filter(|piece| dictionary::ENGLISH.contains(&piece.word.as_str())).count();
    let same =
        |word: &str| TRADE.contains(word) || COMMON_WORDS.contains(word) || TRADE.contains(crate::lexicon::stem(word));
    let known = words.iter().filter(|piece| piece.word.len() > 1 && !same(&piece.word));
    let (mut hits, mut firm) = (own, own);
    for piece in known {
        if TABLE.knows(&piece.word) {
            // "de" and "para" exist in many languages, so they do not show which one this is.
            let shared = OTHERS.iter().any(|set| set.contains(piece.word.as_str()));
            hits += 1;
            firm += usize::from(piece.word.len() > 2 && !shared);
        } else if glued_name(&piece.word).is_some_and(|(stem, _)| piece.word.len() > stem.len() + 1) {
            hits += 1;
        }
    }
    let other = OTHERS.iter().map(|set| words.iter().filter(|piece| set.contains(piece.word.as_str())).count()).max();
    let other = other.unwrap_or(0);
    firm > 0 && hits > english && (hits > other || own > 0 && hits == other)
}

/// Splits "admobda" into an ad term and the meaning of its ending.
fn glued_name(word: &str) -> Option<(&str, &'static str)> {
    (2..word.len()).rev().find_map(|at| {
        let (stem, tail) = word.split_at_checked(at)?;
        TRADE.contains(stem).then(|| case(tail)).flatten().map(|case| (stem, case))
    })
}

pub(super) fn units(text: &str) -> Option<Vec<Unit>> {
    let pieces = pieces::cut(text, is_letter, fold);
    let words: Vec<&Piece> = pieces.iter().filter(|piece| piece.kind == Kind::Word).collect();
    if !is_turkish(text, &pieces, &words) {
        return None;
    }
    let pieces = settled(&pieces);
    let mut out: Vec<Unit> = Vec::with_capacity(pieces.len());
    let (mut at, mut space) = (0, false);
    while let Some(piece) = pieces.get(at) {
        if piece.kind == Kind::Gap {
            (space, at) = (true, at + 1);
            continue;
        }
        let unit = if let Some(found) = TABLE
            .at(&pieces, at)
            .filter(|found| found.pieces > 1 || !TRADE.contains(piece.word.as_str()) || piece.word.len() < 4)
        {
            let last = &pieces[at + found.pieces - 1];
            at += found.pieces;
            let case = if last.case.is_empty() { found.ending.case } else { last.case };
            let ending = Ending { case, ..found.ending };
            Found { ending, ..found }.unit(space)
        } else {
            at += 1;
            let whole = TRADE.contains(piece.word.as_str()) || piece.kind != Kind::Word;
            match glued_name(&piece.word).filter(|_| !whole) {
                Some((stem, case)) => Unit::kept(stem.to_owned(), false, space, case),
                None => Unit::kept(percent(&piece.text), piece.kind == Kind::Stop, space, piece.case),
            }
        };
        space = false;
        let before =
            out.last().is_some_and(|last| last.text.eq_ignore_ascii_case(&unit.text) && unit.role == Role::Plain);
        if before && unit.text.len() > 2 && crate::lexicon::splits(&unit.text.to_ascii_lowercase()) {
            // "ülke ülke": each one separately.
            let at = out.len() - 1;
            out.insert(at, Unit { role: Role::Plain, ..Unit::translated("by", true) });
            continue;
        }
        out.push(set_against(unit, out.last()));
    }
    Some(out)
}

/// Decides between comparing ("geçen haftaya göre") and splitting ("ülkeye göre").
fn set_against(unit: Unit, before: Option<&Unit>) -> Unit {
    let time = [
        "yesterday",
        "today",
        "day before yesterday",
        "last week",
        "week before last",
        "last month",
        "last year",
        "last quarter",
        "last weekend",
        "previous period",
        "same days",
    ];
    let compares = unit.role == Role::Before
        && unit.text == "by"
        && before.is_some_and(|unit| time.contains(&unit.text.as_str()) || super::arrange::is_month(&unit.text));
    if compares { Unit { text: "compared with".into(), ..unit } } else { unit }
}

/// Turns "%10" into "10%".
fn percent(text: &str) -> String {
    match text.strip_prefix('%') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("{rest}%"),
        _ => text.to_owned(),
    }
}
