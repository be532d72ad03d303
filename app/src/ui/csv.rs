//! Tables as CSV and as tab-separated text: raw values, RFC 4180 quoting, and nothing a spreadsheet would run.

use adagent_contract::{TableArtifact, Value};

/// The rows in the given order, with a head; for a file.
pub fn csv(table: &TableArtifact, order: &[usize]) -> String {
    lines(table, order, ',', "\r\n")
}

/// The same for the clipboard, which spreadsheets paste into cells.
pub fn tsv(table: &TableArtifact, order: &[usize]) -> String {
    lines(table, order, '\t', "\n")
}

/// A file name from a title: letters, digits and dashes.
pub fn file_name(title: &str) -> String {
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

fn lines(table: &TableArtifact, order: &[usize], separator: char, end: &str) -> String {
    let head = table.columns.iter().map(|column| match &column.unit {
        Some(unit) => plain(format!("{} ({unit})", column.label)),
        None => plain(column.label.clone()),
    });
    let mut out = join(head, separator);
    for row in order.iter().filter_map(|index| table.rows.get(*index)) {
        out.push_str(end);
        out.push_str(&join(row.iter().map(cell), separator));
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
    let raw = value.raw();
    // Figures may start with a minus.
    if value.as_f64().is_none() { plain(raw) } else { raw }
}

/// An app named `=HYPERLINK(…)` must stay a name when a spreadsheet opens the file, also in the wide letters that some read alike and
/// behind blanks that some drop.
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
            csv(&table, &[1, 0]),
            "App,Revenue (USD)\r\n\"Word\nQuest\",-0.500000\r\n\"Puzzle, \"\"Game\"\"\",1234.560000\r\n"
        );
    }

    #[test]
    fn a_name_that_is_a_formula_stays_a_name() {
        let mut table = table(vec![row("=HYPERLINK(\"x\")", 0), row("@cmd", 0), row(" =1", 0), row("\u{ff1d}1", 0)]);
        table.columns[0].label = "-App".into();
        let text = csv(&table, &[0, 1, 2, 3]);
        assert!(text.starts_with("'-App,") && text.contains("' =1,") && text.contains("'\u{ff1d}1,"), "{text}");
        assert!(text.contains("\"'=HYPERLINK(\"\"x\"\")\""), "{text}");
        assert!(text.contains("'@cmd"), "{text}");
    }

    #[test]
    fn tabs_separate_for_the_clipboard() {
        assert_eq!(tsv(&table(vec![row("A,B", 0)]), &[0]), "App\tRevenue (USD)\nA,B\t0.000000\n");
    }

    #[test]
    fn file_names_are_plain() {
        assert_eq!(file_name("Revenue by app, 24 Oct to 20 Nov"), "revenue-by-app-24-oct-to-20-nov.csv");
        assert_eq!(file_name("../../"), "table.csv");
    }
}
