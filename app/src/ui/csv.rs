//! Tables as CSV and as tab-separated text: raw values, RFC 4180 quoting, and nothing that a spreadsheet would execute.

use adagent_contract::{ColumnKind, Covers, TableArtifact, Value};

/// Returns the rows in the given order, with a header, for a file. Rows without their own date get the days that the table
/// covers.
pub fn csv(table: &TableArtifact, order: &[usize], covers: Option<&Covers>) -> String {
    lines(table, order, covers, ',', "\r\n")
}

/// Returns the same for the clipboard, which spreadsheets paste into cells.
pub fn tsv(table: &TableArtifact, order: &[usize], covers: Option<&Covers>) -> String {
    lines(table, order, covers, '\t', "\n")
}

/// Makes a file name from a title and the covered days, so that next week's export does not replace this one.
pub fn file_name(title: &str, covers: Option<&Covers>) -> String {
    match covers {
        Some(Covers { from, to }) if from == to => name_of(&format!("{title} {from}")),
        Some(Covers { from, to }) => name_of(&format!("{title} {from} to {to}")),
        None => name_of(title),
    }
}

/// Keeps letters and digits, joined by dashes.
fn name_of(title: &str) -> String {
    let mut name = String::with_capacity(title.len() + 4);
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "table.csv".into() } else { format!("{name}.csv") }
}

fn lines(table: &TableArtifact, order: &[usize], covers: Option<&Covers>, separator: char, end: &str) -> String {
    let dated = table.columns.iter().any(|column| column.kind == ColumnKind::Date);
    let covers = covers.filter(|_| !dated);
    let head = table.columns.iter().map(|column| match &column.unit {
        Some(unit) => plain(format!("{} ({unit})", column.label)),
        None => plain(column.label.clone()),
    });
    let mut out = join(head.chain(covers.iter().flat_map(|_| ["From".to_owned(), "To".to_owned()])), separator);
    for row in order.iter().filter_map(|index| table.rows.get(*index)) {
        out.push_str(end);
        let days = covers.iter().flat_map(|covers| [plain(covers.from.clone()), plain(covers.to.clone())]);
        out.push_str(&join(row.iter().map(cell).chain(days), separator));
    }
    out.push_str(end);
    out
}

fn join(cells: impl Iterator<Item = String>, separator: char) -> String {
    let mut out = String::new();
    for (i, cell) in cells.enumerate() {
        if i > 0 {
            out.push(separator);
        }
        out.push_str(&quoted(&cell, separator));
    }
    out
}

fn cell(value: &Value) -> String {
    // A share is computed, so further digits mean nothing.
    if let Value::Percent { value } | Value::Number { value } = value {
        let text = format!("{value:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    let raw = value.raw();
    // A number may start with a minus.
    if value.as_f64().is_none() { plain(raw) } else { raw }
}

/// Escapes text that a spreadsheet could read as a formula: an app named `=HYPERLINK(…)` must stay a name. That includes
/// full-width characters, which some programs read the same way, and leading blanks, which some programs drop.
fn plain(text: String) -> String {
    const BEGINS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let formula = text.trim_start().starts_with(BEGINS) || text.starts_with(['\t', '\r', '\n']);
    if formula { format!("'{text}") } else { text }
}

fn quoted(text: &str, separator: char) -> String {
    if text.contains([separator, '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use adagent_contract::{Column, ColumnKind};
    use adagent_domain::{Currency, Money};

    use super::*;

    fn table(rows: Vec<Vec<Value>>) -> TableArtifact {
        let column = |key: &str, label: &str, kind, unit: Option<&str>| Column {
            key: key.into(),
            label: label.into(),
            kind,
            unit: unit.map(Into::into),
        };
        TableArtifact {
            columns: vec![
                column("app", "App", ColumnKind::Text, None),
                column("revenue", "Revenue", ColumnKind::Money, Some("USD")),
            ],
            row_count: rows.len() as u64,
            rows,
            total: None,
            sorted_by: None,
        }
    }

    fn row(name: &str, micros: i64) -> Vec<Value> {
        vec![Value::Text { value: name.into() }, Value::Money { money: Money::new(Currency::USD, micros) }]
    }

    #[test]
    fn values_are_raw_and_special_characters_quoted() {
        let table = table(vec![row("Puzzle, \"Game\"", 1_234_560_000), row("Word\nQuest", -500_000)]);
        assert_eq!(
            csv(&table, &[1, 0], None),
            "App,Revenue (USD)\r\n\"Word\nQuest\",-0.500000\r\n\"Puzzle, \"\"Game\"\"\",1234.560000\r\n"
        );
    }

    #[test]
    fn a_name_that_is_a_formula_stays_a_name() {
        let mut table = table(vec![row("=HYPERLINK(\"x\")", 0), row("@cmd", 0), row(" =1", 0), row("\u{ff1d}1", 0)]);
        table.columns[0].label = "-App".into();
        let text = csv(&table, &[0, 1, 2, 3], None);
        assert!(text.starts_with("'-App,") && text.contains("' =1,") && text.contains("'\u{ff1d}1,"), "{text}");
        assert!(text.contains("\"'=HYPERLINK(\"\"x\"\")\""), "{text}");
        assert!(text.contains("'@cmd"), "{text}");
    }

    #[test]
    fn tabs_separate_for_the_clipboard() {
        assert_eq!(tsv(&table(vec![row("A,B", 0)]), &[0], None), "App\tRevenue (USD)\nA,B\t0.000000\n");
    }

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_name("Revenue by app, Android", None), "revenue-by-app-android.csv");
        assert_eq!(file_name("../../", None), "table.csv");
    }

    #[test]
    fn files_and_rows_carry_the_days_they_cover_and_shares_few_digits() {
        let week = Covers { from: "2026-11-16".into(), to: "2026-11-22".into() };
        let day = Covers { from: "2026-11-22".into(), to: "2026-11-22".into() };
        assert_eq!(file_name("Revenue by network", Some(&week)), "revenue-by-network-2026-11-16-to-2026-11-22.csv");
        assert_eq!(file_name("Revenue by network", Some(&day)), "revenue-by-network-2026-11-22.csv");
        let mut table = table(vec![vec![Value::Text { value: "Unity".into() }, Value::Percent { value: 100.0 / 3.0 }]]);
        table.columns[1].kind = ColumnKind::Percent;
        table.columns[1].unit = None;
        assert_eq!(csv(&table, &[0], Some(&week)), "App,Revenue,From,To\r\nUnity,33.3333,2026-11-16,2026-11-22\r\n");
        // A row with its own day needs no column for the covered days.
        table.columns[0].kind = ColumnKind::Date;
        assert!(!csv(&table, &[0], Some(&week)).contains("From"));
    }
}
