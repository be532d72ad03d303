//! A table of stems that finds the longest phrase at a position.

use std::collections::HashMap;

use super::arrange::{Role, Unit};
use super::pieces::{Kind, Piece};

/// What may follow a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Whole,
    Noun,
    Order,
}

/// The meaning of an ending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// A preposition: "admob'da" means "in admob".
    pub case: &'static str,
    /// Negates the order: "silme".
    pub not: bool,
    /// The order has been carried out: "삭제된".
    pub done: bool,
    /// Plural.
    pub many: bool,
}

/// A function that returns the ending of a word in a form; `None` if the text is not an ending.
pub(super) type Endings = fn(&str, Form) -> Option<Ending>;

type Stem = (&'static str, Form);

/// The form of the first stem, the stems after it, and the meaning of the whole.
type Row = (Form, Vec<Stem>, &'static str);

#[derive(Debug)]
pub(super) struct Table {
    first: HashMap<&'static str, Vec<Row>>,
    endings: Endings,
}

/// Splits "a/b=c|…" into pairs: a with c, b with c.
pub(super) fn rows(row: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    row.split('|')
        .filter_map(|pair| pair.trim().split_once('='))
        .flat_map(|(foreign, english)| foreign.split('/').map(move |spelling| (spelling.trim(), english)))
}

pub(super) fn form(spelling: &'static str) -> Stem {
    match (spelling.strip_suffix('*'), spelling.strip_suffix('~')) {
        (Some(stem), _) => (stem, Form::Noun),
        (_, Some(stem)) => (stem, Form::Order),
        _ => (spelling, Form::Whole),
    }
}

/// A match: the number of pieces it takes, and its meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub pieces: usize,
    pub english: &'static str,
    pub ending: Ending,
}

impl Found {
    pub fn unit(self, space: bool) -> Unit {
        let mut unit = Unit::translated(self.english, space);
        unit.case = self.ending.case;
        if self.ending.not && unit.role == Role::Order {
            unit = Unit { text: format!("do not {}", unit.text), ..unit };
        }
        if self.ending.many
            && unit.role == Role::Plain
            && !unit.text.ends_with(['s', 'y'])
            && crate::lexicon::splits(&unit.text)
        {
            unit.text.push('s');
        }
        if self.ending.done && unit.role == Role::Order {
            unit = Unit { text: done(&unit.text), role: Role::Plain, ..unit };
        }
        unit
    }
}

/// Returns the past participle, such as "paused" for "pause".
fn done(verb: &str) -> String {
    match verb {
        "stop" => "stopped".into(),
        "set" | "show" | "put" => verb.into(),
        _ if verb.ends_with('e') => format!("{verb}d"),
        _ => format!("{verb}ed"),
    }
}

impl Table {
    pub fn new(tables: &[&'static str], endings: Endings) -> Self {
        let mut first: HashMap<&'static str, Vec<Row>> = HashMap::new();
        for (spelling, english) in tables.iter().flat_map(|row| rows(row)) {
            let mut words = spelling.split_whitespace().map(form);
            if let Some((stem, kind)) = words.next() {
                first.entry(stem).or_default().push((kind, words.collect(), english));
            }
        }
        for list in first.values_mut() {
            list.sort_by_key(|(_, rest, _)| std::cmp::Reverse(rest.len()));
        }
        Self { first, endings }
    }

    /// Checks whether a single word, with or without an ending, is in the table.
    pub fn knows(&self, word: &str) -> bool {
        self.cuts(word).any(|(list, tail)| {
            list.iter().any(|(form, rest, _)| rest.is_empty() && (self.endings)(tail, *form).is_some())
        })
    }

    fn cuts<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (&'a Vec<Row>, &'a str)> + 'a {
        let ends = std::iter::once(word.len()).chain(word.char_indices().rev().map(|(at, _)| at));
        ends.filter_map(|at| {
            let (stem, tail) = word.split_at_checked(at)?;
            self.first.get(stem).map(|list| (list, tail))
        })
    }

    /// Returns the longest phrase at a position; among equally long ones, the one with the longest stem.
    pub fn at(&self, pieces: &[Piece], at: usize) -> Option<Found> {
        let word = pieces.get(at).filter(|piece| piece.kind == Kind::Word)?;
        let mut best: Option<Found> = None;
        for (list, tail) in self.cuts(&word.word) {
            for (form, rest, english) in list {
                let Some(ending) = (self.endings)(tail, *form) else { continue };
                let found = self.rest(pieces, at + 1, rest, ending);
                if let Some((next, ending)) = found.filter(|(next, _)| best.is_none_or(|best| best.pieces < next - at))
                {
                    best = Some(Found { pieces: next - at, english, ending });
                }
            }
        }
        best
    }

    fn rest(&self, pieces: &[Piece], mut at: usize, rest: &[Stem], mut ending: Ending) -> Option<(usize, Ending)> {
        for (stem, form) in rest {
            let hyphen = pieces.get(at).is_some_and(|piece| piece.text == "-");
            if hyphen || pieces.get(at).is_some_and(|piece| piece.kind == Kind::Gap) {
                at += 1;
            }
            let word = pieces.get(at).filter(|piece| piece.kind == Kind::Word)?;
            let last = (self.endings)(word.word.strip_prefix(stem)?, *form)?;
            ending = Ending { not: ending.not || last.not, done: ending.done || last.done, ..last };
            at += 1;
        }
        Some((at, ending))
    }
}
