//! Reports of key networks: the rows of a book, written in the network's words. Rows with the same words become one row.
//!
//! This module knows no network; the caller supplies the columns.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::state::Inner;
use crate::world::books::{Axis, Book, Question};
use crate::world::figures::Totals;

/// The codes of one row.
pub struct Codes<'a> {
    axes: &'a [Axis],
    codes: &'a [u32],
}

impl<'a> Codes<'a> {
    /// Takes the codes of a book's row, for the axes of its question.
    pub fn of(axes: &'a [Axis], codes: &'a [u32]) -> Self {
        Self { axes, codes }
    }

    pub fn code(&self, axis: Axis) -> u32 {
        self.axes.iter().position(|it| *it == axis).and_then(|at| self.codes.get(at)).copied().unwrap_or(0)
    }

    pub fn at(&self, axis: Axis) -> usize {
        self.code(axis) as usize
    }
}

/// A column that splits the rows.
pub struct Column {
    pub name: &'static str,
    /// The axes that its text depends on.
    pub axes: &'static [Axis],
    pub text: fn(&Inner, &Codes) -> String,
}

/// A question in the network's words.
pub struct Ask<'a> {
    pub from: Date,
    pub to: Date,
    pub zone: i8,
    pub columns: Vec<&'a Column>,
    /// Columns (whether they split or not), each with the texts to keep; case does not matter.
    pub filters: Vec<(&'a Column, Vec<String>)>,
    /// The apps to include; `None` for all.
    pub apps: Option<Vec<u32>>,
}

/// One line of a report.
#[derive(Debug)]
pub struct Line {
    /// One text per column.
    pub texts: Vec<String>,
    pub totals: Totals,
}

/// Returns the lines of a report, sorted by the first column, then the second, and so on.
pub fn table(inner: &Inner, book: &Book, ask: &Ask) -> Vec<Line> {
    let mut axes: Vec<Axis> = Vec::new();
    let filtered = ask.filters.iter().map(|(column, _)| *column);
    for axis in ask.columns.iter().copied().chain(filtered).flat_map(|column| column.axes) {
        if !axes.contains(axis) {
            axes.push(*axis);
        }
    }
    let question = Question {
        from: ask.from,
        to: ask.to,
        zone: ask.zone,
        axes: axes.clone(),
        filters: ask.apps.iter().map(|apps| (Axis::App, apps.clone())).collect(),
    };
    let mut lines: Vec<Line> = Vec::new();
    let mut known: HashMap<Vec<String>, usize> = HashMap::new();
    for row in book.sum(inner, &question) {
        let codes = Codes::of(&axes, &row.codes);
        let admitted = ask.filters.iter().all(|(column, wanted)| {
            let text = (column.text)(inner, &codes).to_lowercase();
            wanted.iter().any(|want| want.to_lowercase() == text)
        });
        if !admitted {
            continue;
        }
        let texts: Vec<String> = ask.columns.iter().map(|column| (column.text)(inner, &codes)).collect();
        if let Some(at) = known.get(&texts) {
            lines[*at].totals.add(&row.totals);
        } else {
            known.insert(texts.clone(), lines.len());
            lines.push(Line { texts, totals: row.totals });
        }
    }
    lines
}

/// Writes micros as an exact decimal: `1234567` → `1.234567`.
pub fn decimal(micros: u64) -> String {
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Returns micros as a JSON number in whole units; precise to the micro for every amount in a sandbox.
#[expect(clippy::cast_precision_loss, reason = "amounts are far below 2^53 micros")]
pub fn number(micros: u64) -> f64 {
    micros as f64 / 1_000_000.0
}

/// Returns the micros per thousand impressions, rounded half up.
pub fn ecpm(totals: &Totals) -> u64 {
    (totals.micros * 1000 + totals.impressions / 2).checked_div(totals.impressions).unwrap_or(0)
}

/// Returns a part divided by the whole; 0 if the whole is 0.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Writes a line of CSV; texts with commas, quotes or line breaks are quoted.
pub fn csv_line<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let quoted = cells.into_iter().map(|cell| {
        let cell = cell.as_ref();
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    });
    let mut line = quoted.collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

/// Returns the values of a comma-separated parameter, without empty ones.
pub fn list(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_exact_and_cells_are_quoted() {
        assert_eq!(decimal(1_234_567), "1.234567");
        assert_eq!(decimal(5), "0.000005");
        assert_eq!(serde_json::json!(number(98_765_432_101)).to_string(), "98765.432101");
        assert_eq!(csv_line(["a", "b,c", "d\"e"]), "a,\"b,c\",\"d\"\"e\"\n");
    }
}
