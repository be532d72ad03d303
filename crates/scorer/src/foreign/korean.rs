//! Korean: particles attached to words, optional spaces, orders at the end of a clause.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::arrange::{Role, Unit};
use super::pattern::{self, Ending, Form, Found};
use super::pieces::{self, Kind};
use crate::tables::korean::WORDS;

/// Particles and their English words. With "<", the word goes before the phrase that the particle ends; an empty one adds no word. The
/// first match counts, so a particle stands before any shorter one that it begins with.
const PARTICLES: [(&str, &str); 44] = [
    ("에서는", "<in"),
    ("에서의", "<in"),
    ("에서도", "<in"),
    ("에서만", "<in"),
    ("에서", "<in"),
    ("에게", "<to"),
    ("에는", "<in"),
    ("에도", "<in"),
    ("에만", "<in"),
    ("에다", "<in"),
    ("에", "<in"),
    ("으로는", "<to"),
    ("으로만", "<to"),
    ("으로", "<to"),
    ("로만", "<to"),
    ("로", "<to"),
    ("부터", "<since"),
    ("까지", "<until"),
    ("보다", "<compared with"),
    ("별로", "<by"),
    ("별", "<by"),
    ("당", "<per"),
    ("이랑", "and"),
    ("랑", "and"),
    ("하고", "and"),
    ("과", "and"),
    ("와", "and"),
    ("만", "<only"),
    ("도", "<also"),
    ("의", ""),
    ("이요", ""),
    ("이에요", ""),
    ("예요", ""),
    ("이고", ""),
    ("요", ""),
    ("은", ""),
    ("는", ""),
    ("이", ""),
    ("가", ""),
    ("을", ""),
    ("를", ""),
    ("들", ""),
    ("인", ""),
    ("꺼", ""),
];
/// Endings of orders and wishes. Verb stems also take the second half of them.
const ORDERS: &str = " 만 도 를 을 은 는 좀 해주세요 해줘요 해줘 해주실래요 해주시겠어요 해주십시오 해줄래 해줄래요 해주라 해 해요 하세요 하십시오 하자 하죠 합시다 할게요 할게 할래요 할래 하기 하고 하고싶어요 해봐 해보자 시켜줘 시켜주세요 시켜 해야 해놔 하게 하나요 하는 하려면 하니 할 할까요 하나 해달라고 해주면 해서 주세요 줘요 줘 주실래요 주시겠어요 주십시오 줄래요 줄래 줄 주실 요 라 놔 둬 봐 보자 주면 달라고 야 고 자 기 게 서 을게요 을래 어 어줘 어주세요";
const DENIALS: [&str; 7] = ["하지마", "하지말고", "하지", "지마", "지말고", "지마세요", "지"];
const DONE: &str =
    "된 됐 됐나요 됐어 됐어요 됐는지 되어 되어있는 돼 돼있는 되 됨 한 했 했어 했나요 했는지 되었나요 된거 된게 된것";

type Entry = (Vec<char>, Form, &'static str);

static TABLE: LazyLock<HashMap<char, Vec<Entry>>> = LazyLock::new(|| {
    let mut table: HashMap<char, Vec<Entry>> = HashMap::new();
    for (spelling, english) in WORDS.iter().flat_map(|row| pattern::rows(row)) {
        let (stem, form) = pattern::form(spelling);
        let letters: Vec<char> = stem.chars().collect();
        if let Some(first) = letters.first() {
            table.entry(*first).or_default().push((letters, form, english));
        }
    }
    for list in table.values_mut() {
        list.sort_by_key(|(letters, ..)| std::cmp::Reverse(letters.iter().filter(|c| **c != ' ').count()));
    }
    table
});

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{ac00}'..='\u{d7af}')
}

/// Returns where a spelling that starts at `at` ends. Its spaces may be missing.
fn spelled(chars: &[char], mut at: usize, letters: &[char]) -> Option<usize> {
    for (i, c) in letters.iter().enumerate() {
        if *c == ' ' {
            at += usize::from(chars.get(at) == Some(&' '));
        } else if chars.get(at).is_some_and(|said| said.to_ascii_lowercase() == *c) {
            at += 1;
        } else {
            return None;
        }
        debug_assert!(i < letters.len());
    }
    Some(at)
}

fn word_end(chars: &[char], at: usize) -> usize {
    (at..chars.len()).find(|at| !is_hangul(chars[*at])).unwrap_or(chars.len())
}

fn ending(tail: &str) -> Option<Ending> {
    if ORDERS.split(' ').any(|order| order == tail) {
        return Some(Ending::default());
    }
    if DENIALS.contains(&tail) {
        return Some(Ending { not: true, ..Ending::default() });
    }
    DONE.split(' ').any(|done| tail.starts_with(done)).then(|| Ending { done: true, ..Ending::default() })
}

/// Returns the particles from `at` to the end of the word, if it consists only of particles.
fn particles(chars: &[char], at: usize) -> Option<Vec<&'static str>> {
    let end = word_end(chars, at);
    let rest: String = chars[at..end].iter().collect();
    let mut out = Vec::new();
    let mut rest = rest.as_str();
    while !rest.is_empty() {
        let (particle, english) = PARTICLES.iter().find(|(particle, _)| rest.starts_with(particle))?;
        out.push(*english);
        rest = &rest[particle.len()..];
    }
    Some(out)
}

/// Returns the longest table word at a position. A single syllable must be the whole word, except for particles.
fn known(chars: &[char], at: usize) -> Option<(usize, Found)> {
    let starts = at == 0 || !is_hangul(chars[at - 1]);
    TABLE.get(&chars[at])?.iter().find_map(|(letters, form, english)| {
        let end = spelled(chars, at, letters)?;
        let stop = word_end(chars, end);
        let tail: String = chars[end..stop].iter().collect();
        let mut found = Found { pieces: 0, english, ending: Ending::default() };
        if *form == Form::Noun {
            return Some((stop, found));
        }
        if *form == Form::Order {
            found.ending = ending(&tail)?;
            return Some((stop, found));
        }
        let alone = end == stop || particles(chars, end).is_some();
        (letters.len() > 1 && (letters.len() > 2 || starts || alone) || starts && alone).then_some((end, found))
    })
}

/// Reads a number with its unit: "11월" is November, "3분기" a quarter, "7일" seven days or a day of the month.
fn counted(
    chars: &[char],
    at: usize,
    number: &str,
    month: &mut Option<&'static str>,
    dated: bool,
    lasts: bool,
) -> Option<(usize, String)> {
    let end = word_end(chars, at);
    let word: String = chars[at..end].iter().collect();
    let is = |counter: &str| word.starts_with(counter).then(|| at + counter.chars().count());
    if let Some(end) = is("달러") {
        return Some((end, format!("{number} dollars")));
    }
    if let Some(end) = is("개월").or_else(|| is("달")) {
        return Some((end, format!("{number} months")));
    }
    if let Some(end) = is("불") {
        return Some((end, format!("{number} dollars")));
    }
    if let Some(end) = is("월") {
        let name = super::month_name(number)?;
        *month = Some(name);
        return Some((end, if dated && end == chars.len() { String::new() } else { (*name).to_owned() }));
    }
    if let Some(end) = is("분기") {
        return Some((end, format!("q{number}")));
    }
    if let Some(end) = is("일간").or_else(|| is("일치")) {
        return Some((end, format!("{number} days")));
    }
    if let Some(end) = is("일") {
        return Some((
            end,
            match month {
                Some(month) if !lasts => format!("{month} {number}"),
                _ => format!("{number} days"),
            },
        ));
    }
    if let Some(end) = is("주간").or_else(|| is("주")) {
        return Some((end, format!("{number} weeks")));
    }
    if let Some(end) = is("시간") {
        return Some((end, format!("{number} hours")));
    }
    if let Some(end) = is("년") {
        return Some((end, if number.len() == 4 { number.to_owned() } else { format!("{number} years") }));
    }
    if let Some(end) = is("초") {
        return Some((end, format!("{number} seconds")));
    }
    if let Some(end) = is("위").or_else(|| is("개")).or_else(|| is("회")).or_else(|| is("번")) {
        return Some((end, number.to_owned()));
    }
    None
}

fn push(out: &mut Vec<Unit>, english: &'static str, space: bool) {
    let mut unit = Unit::translated(english, space);
    if unit.role == Role::Joins {
        // Here it joins nouns instead of orders.
        unit.role = Role::Plain;
    }
    if !unit.text.is_empty() {
        out.push(unit);
    }
}

/// Reads a stretch of Hangul, including its spaces. The number before it may belong to a unit in it, and a number after it may be
/// a day.
fn hangul(text: &str, space: bool, dated: bool, month: &mut Option<&'static str>, out: &mut Vec<Unit>) {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    let number =
        out.last().filter(|unit| !space && unit.text.bytes().all(|b| b.is_ascii_digit())).map(|unit| unit.text.clone());
    if let Some(number) = number {
        let lasts = out.iter().rev().nth(1).is_some_and(|unit| unit.text == "last");
        if let Some((end, english)) = counted(&chars, 0, &number, month, dated, lasts) {
            let kept = out.pop();
            if !english.is_empty() {
                let (value, measure) = english
                    .split_once(' ')
                    .filter(|(_, m)| !m.starts_with(|c: char| c.is_ascii_digit()))
                    .unwrap_or((english.as_str(), ""));
                let space = kept.is_some_and(|unit| unit.space);
                if measure.is_empty() {
                    out.push(Unit { translated: true, ..Unit::kept(english, false, space, "") });
                } else {
                    out.push(Unit { translated: true, ..Unit::kept(value.to_owned(), false, space, "") });
                    out.push(Unit { translated: true, ..Unit::kept(measure.to_owned(), false, true, "") });
                }
            }
            at = end;
        }
    }
    let (mut space, mut rest) = (space, String::new());
    // Particles follow known words, and text that is not Hangul.
    let mut glue = !space || at > 0;
    // "밑으로": a word that already goes before its noun takes no other preposition.
    let mut led = false;
    while at < chars.len() {
        if chars[at].is_whitespace() {
            if !rest.is_empty() {
                out.push(Unit::kept(std::mem::take(&mut rest), false, space, ""));
            }
            (space, glue, at) = (true, false, at + 1);
            continue;
        }
        if glue && let Some(found) = particles(&chars, at) {
            for english in found.into_iter().filter(|english| !led || !english.starts_with('<')) {
                push(out, english, true);
            }
            at = word_end(&chars, at);
            continue;
        }
        if let Some((end, found)) = known(&chars, at) {
            if !rest.is_empty() {
                out.push(Unit::kept(std::mem::take(&mut rest), false, space, ""));
            }
            let unit = found.unit(space);
            if !unit.text.is_empty() {
                out.push(unit);
            }
            (at, glue, space, led) =
                (end, true, false, found.english.starts_with('<') || found.english.starts_with("by "));
        } else {
            rest.push(chars[at]);
            (at, glue) = (at + 1, false);
        }
    }
    if !rest.is_empty() {
        out.push(Unit::kept(rest, false, space, ""));
    }
}

pub(super) fn units(text: &str) -> Option<Vec<Unit>> {
    let pieces = pieces::cut(text, is_hangul, str::to_owned);
    let kana = |c: char| matches!(c, '\u{3040}'..='\u{30ff}');
    if !pieces.iter().any(|piece| piece.kind == Kind::Word) || text.chars().any(kana) {
        return None;
    }
    let mut out = Vec::with_capacity(pieces.len());
    let (mut at, mut space, mut month) = (0, false, None);
    while let Some(piece) = pieces.get(at) {
        match piece.kind {
            Kind::Gap => (space, at) = (true, at + 1),
            Kind::Word => {
                let mut stretch = piece.text.clone();
                at += 1;
                while let [gap, word, ..] = &pieces[at..]
                    && gap.kind == Kind::Gap
                    && word.kind == Kind::Word
                {
                    stretch.push(' ');
                    stretch.push_str(&word.text);
                    at += 2;
                }
                let next = pieces[at..].iter().find(|piece| piece.kind != Kind::Gap);
                let dated = next.is_some_and(|piece| piece.text.bytes().all(|b| b.is_ascii_digit()));
                hangul(&stretch, space, dated, &mut month, &mut out);
                space = false;
            }
            Kind::Stop | Kind::Other => {
                out.push(Unit::kept(piece.text.clone(), piece.kind == Kind::Stop, space, ""));
                (space, at) = (false, at + 1);
            }
        }
    }
    debug_assert!(out.iter().all(|unit| unit.role != Role::Plain || !unit.text.is_empty()));
    Some(out)
}
