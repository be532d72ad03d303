//! Russian: cases, adjectives and the two aspects of an order.

use std::sync::LazyLock;

use super::arrange::Unit;
use super::pattern::{Ending, Form, Table};
use super::pieces::{self, Kind, Piece};
use crate::tables::russian::WORDS;

/// Case endings of nouns and adjectives.
const CASES: &str = "а я о е и ы у ю ь й ов ев ей ам ям ами ями ах ях ой ою ею ый ий ая яя ое ее ые ие ого его ому ему ым им ых их ую юю ом ем ию ии ия ией иям иями иях ья ье ью";
/// Endings that are always plural.
const MANY: [&str; 10] = ["ов", "ев", "ей", "ам", "ям", "ами", "ями", "ах", "ях", "ы"];
/// Endings of orders and wishes in both aspects: "удали", "удалите", "удалить", "удаляй", "давай удалим".
const ORDERS: &str = "и ите ь ьте й йте ть ти ить ать ять еть нь ни ай айте яй яйте ем им уем у ю аю яю ивай ивайте ывай ывайте вай вайте ивать ывать вать уй уйте овать ируй ируйте ировать ируем нуть ни ните";

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::new(WORDS, ending));

fn ending(tail: &str, form: Form) -> Option<Ending> {
    let known = match form {
        Form::Whole => "",
        Form::Noun => CASES,
        Form::Order => ORDERS,
    };
    let many = form == Form::Noun && MANY.contains(&tail);
    (tail.is_empty() || known.split(' ').any(|ending| ending == tail)).then(|| Ending { many, ..Ending::default() })
}

fn is_cyrillic(c: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&c)
}

fn fold(word: &str) -> String {
    word.to_lowercase().replace('ё', "е").replace('\u{301}', "")
}

/// Restores a Latin word that contains a few Cyrillic look-alikes: "еcpm".
fn latin(text: &str) -> String {
    let alike = |c: char| {
        let at = "асеорхуікАСЕОРХВМКТН".chars().position(|other| other == c)?;
        "aceopxyikACEOPXBMKTH".chars().nth(at)
    };
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let mixed = word.chars().any(|c| c.is_ascii_alphabetic()) && word.chars().any(is_cyrillic);
        let same: Option<String> = word.chars().map(|c| if is_cyrillic(c) { alike(c) } else { Some(c) }).collect();
        out.push_str(same.as_deref().filter(|_| mixed).unwrap_or(word));
    }
    out
}

/// Reads a day and a month such as "05.11".
fn day(text: &str) -> Option<String> {
    let (day, month) = text.split_once('.')?;
    let number = |part: &str| part.parse::<u8>().ok().filter(|_| part.len() == 2);
    number(day).filter(|day| (1..=31).contains(day))?;
    number(month).filter(|month| (1..=12).contains(month))?;
    let month = super::month_name(month)?;
    Some(format!("{day} {month}"))
}

pub(super) fn units(text: &str) -> Option<Vec<Unit>> {
    let text = latin(text);
    let pieces = pieces::cut(&text, is_cyrillic, fold);
    let words: Vec<&Piece> = pieces.iter().filter(|piece| piece.kind == Kind::Word).collect();
    // These letters are only in Ukrainian.
    if words.is_empty() || words.iter().any(|piece| piece.word.contains(['і', 'ї', 'є', 'ґ'])) {
        return None;
    }
    let mut out = Vec::with_capacity(pieces.len());
    let (mut at, mut space, mut before) = (0, false, "");
    while let Some(piece) = pieces.get(at) {
        if piece.kind == Kind::Gap {
            (space, at) = (true, at + 1);
            continue;
        }
        if let Some(found) = TABLE.at(&pieces, at) {
            let mut found = found;
            at += found.pieces;
            if found.pieces == 1 {
                found.english = small(&piece.word, &pieces, at, before).unwrap_or(found.english);
            }
            if found.english.starts_with('!') {
                before = found.english;
            }
            out.push(found.unit(space));
        } else {
            let dated = at >= 2 && matches!(pieces[at - 2].word.as_str(), "за" | "с" | "по" | "от" | "на");
            let kept = dated.then(|| day(&piece.text)).flatten().unwrap_or_else(|| piece.text.clone());
            out.push(Unit::kept(kept, piece.kind == Kind::Stop, space, ""));
            at += 1;
        }
        space = false;
    }
    Some(out)
}

/// Returns the meaning of a preposition from what follows it: "по странам" splits, "по США" filters, "на 20 %" says by how much.
fn small(word: &str, pieces: &[Piece], at: usize, order: &str) -> Option<&'static str> {
    let after = |at: usize| if pieces.get(at).is_some_and(|piece| piece.kind == Kind::Gap) { at + 1 } else { at };
    let next = after(at);
    let number = pieces.get(next).is_some_and(|piece| piece.text.starts_with(|c: char| c.is_ascii_digit() || c == '$'));
    let unit = TABLE.at(pieces, after(next + 1)).map(|found| found.english).filter(|_| number);
    let percent = unit == Some("percent") || number && pieces[next].text.ends_with('%');
    let long = matches!(unit, Some("days" | "day" | "week" | "month" | "year" | "hour"));
    let said = TABLE.at(pieces, next).map_or("", |found| found.english);
    let ends = |words: &[&str]| pieces[at..].iter().any(|piece| words.contains(&piece.word.as_str()));
    let with =
        |word: &str| ["ом", "ем", "ой", "ым", "им", "ью", "ами", "ями"].iter().any(|ending| word.ends_with(ending));
    match word {
        "с" | "со" if order == "!compare" || pieces.get(next).is_some_and(|piece| with(&piece.word)) => Some("with"),
        "с" | "со" if number && !ends(&["по", "до"]) || !number && is_time(said) => Some("since"),
        "в" | "на" if order == "!rename" => Some("to"),
        "на" if matches!(said, "dau" | "user") => Some("per"),
        "к" if said.contains("last") || is_time(said) => Some("vs"),
        "по" if number => Some("to"),
        "по" => {
            let said = TABLE.at(pieces, next).map(|found| found.english.to_owned());
            let latin = |at: usize| pieces.get(at).map_or("", |piece| piece.text.as_str()).to_ascii_lowercase();
            let said = said.unwrap_or_else(|| latin(next));
            let two = format!("{said} {}", latin(next + 2));
            Some(if crate::lexicon::splits(&said) || crate::lexicon::splits(&two) { "by" } else { "for" })
        }
        "на" if percent => Some("by"),
        "на" | "до" if number && unit.is_none_or(|unit| !is_time(unit) && !long) => Some("to"),
        "за" if long => Some("last"),
        _ => None,
    }
}

fn is_time(english: &str) -> bool {
    super::arrange::is_month(english) || english.ends_with("day") && english != "day"
}
