//! Parses CSV (RFC 4180) into objects, with the names in the first line as keys. This module is pure. Values stay text and get their types
//! later.

use adagent_domain::Cut as _;
use serde_json::{Map, Value as Json};

/// Parses a text as rows. Its first line must name at least one known column; otherwise it is no report, whatever it looks like.
pub fn table(text: &str, most: usize, known: &dyn Fn(&str) -> bool) -> Result<(Vec<Json>, bool), String> {
    let head = head(text)?.ok_or("it is empty")?;
    if !head.iter().any(|name| known(name)) {
        return Err("its first line has none of the report's column names".to_owned());
    }
    objects(text, most)
}

/// Returns the names in the first line.
pub fn head(text: &str) -> Result<Option<Vec<String>>, String> {
    let names = records(text).next().transpose()?;
    Ok(names.map(|names| names.into_iter().map(|name| name.trim().to_owned()).collect()))
}

fn records(text: &str) -> Records<'_> {
    Records { rest: text.strip_prefix('\u{feff}').unwrap_or(text), line: 0 }
}

/// Returns at most `most` rows, and whether there are more. A row with a different number of values than the header is an error.
fn objects(text: &str, most: usize) -> Result<(Vec<Json>, bool), String> {
    let mut records = records(text);
    let Some(head) = records.next().transpose()? else { return Ok((Vec::new(), false)) };
    let head: Vec<String> = head.into_iter().map(|name| name.trim().to_owned()).collect();
    let mut rows = Vec::new();
    while let Some(record) = records.next().transpose()? {
        if rows.len() == most {
            return Ok((rows, true));
        }
        if record.len() != head.len() {
            let (line, found, wanted) = (records.line, record.len(), head.len());
            return Err(format!("line {line} has {found} values, but the header has {wanted} columns"));
        }
        let row: Map<String, Json> = head.iter().cloned().zip(record.into_iter().map(Json::from)).collect();
        rows.push(Json::Object(row));
    }
    Ok((rows, false))
}

struct Records<'a> {
    rest: &'a str,
    line: usize,
}

impl Iterator for Records<'_> {
    type Item = Result<Vec<String>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        // Skip empty lines between and after rows.
        self.rest = self.rest.trim_start_matches(['\r', '\n']);
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        Some(self.record())
    }
}

impl Records<'_> {
    fn record(&mut self) -> Result<Vec<String>, String> {
        let mut values = Vec::new();
        loop {
            let value = if self.rest.starts_with('"') { self.quoted()? } else { self.bare() };
            values.push(value);
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            if !self.rest.is_empty() && !self.rest.starts_with(['\r', '\n']) {
                return Err(format!("line {} goes on after a closing quote", self.line));
            }
            return Ok(values);
        }
    }

    fn bare(&mut self) -> String {
        let end = self.rest.find([',', '\r', '\n']).unwrap_or(self.rest.len());
        let (value, rest) = self.rest.split_at(end);
        self.rest = rest;
        value.to_owned()
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut value = String::new();
        let mut rest = self.rest.cut(1..);
        loop {
            let Some(end) = rest.find('"') else {
                return Err(format!("line {} has a quote that never closes", self.line));
            };
            value.push_str(rest.cut(..end));
            rest = rest.cut(end + 1..);
            match rest.strip_prefix('"') {
                Some(more) => {
                    value.push('"');
                    rest = more;
                }
                None => break,
            }
        }
        self.rest = rest;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prelude::*};
    use serde_json::json;

    use super::*;

    #[test]
    fn quotes_commas_and_line_ends_inside_values_survive() {
        let text = "\u{feff}Date,App,Revenue (USD)\r\n2026-11-20,\"Puzzle, \"\"Gold\"\"\r\nEdition\",1.5\r\n\r\n2026-11-21,,0\n";
        let (rows, more) = objects(text, 10).expect("readable");
        assert!(!more);
        assert_eq!(
            rows[0],
            json!({"Date": "2026-11-20", "App": "Puzzle, \"Gold\"\r\nEdition", "Revenue (USD)": "1.5"})
        );
        assert_eq!(rows[1], json!({"Date": "2026-11-21", "App": "", "Revenue (USD)": "0"}));
    }

    #[test]
    fn what_is_cut_or_crooked_is_refused() {
        for (text, part) in [
            ("a,b\n1,2\n3", "line 3 has 1 values"),
            ("a,b\n1,\"2", "never closes"),
            ("a,b\n1,\"2\"x", "after a closing quote"),
        ] {
            let error = objects(text, 10).expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn words_are_no_table() {
        let known = |name: &str| name == "day" || name == "revenue";
        assert_eq!(table("day,revenue\n", 10, &known), Ok((Vec::new(), false)));
        for text in
            ["Service unavailable", "Internal error\nPlease try again later", "Sorry, the day is over\n1,2", "", "\n"]
        {
            assert!(table(text, 10, &known).is_err(), "{text:?}");
        }
    }

    #[test]
    fn rows_are_bounded_and_nothing_is_an_empty_report() {
        assert_eq!(objects("a\n1\n2\n3\n", 2).expect("readable"), (vec![json!({"a": "1"}), json!({"a": "2"})], true));
        assert_eq!(objects("a\n1\n2\n", 2).map(|(_, more)| more), Ok(false));
        assert_eq!(objects("", 2), Ok((Vec::new(), false)));
        assert_eq!(objects("a,b\n", 2), Ok((Vec::new(), false)));
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_again(rows in collection::vec(collection::vec("[a-z \",\r\n]{1,8}", 3), 0..6)) {
            let quote = |value: &String| format!("\"{}\"", value.replace('"', "\"\""));
            let mut text = "x,y,z\n".to_owned();
            for row in &rows {
                text += &(row.iter().map(quote).collect::<Vec<_>>().join(",") + "\n");
            }
            let (read, _) = objects(&text, 100).expect("readable");
            let read: Vec<Vec<String>> = read.iter()
                .map(|row| ["x", "y", "z"].iter().map(|name| row[*name].as_str().unwrap_or("?").to_owned()).collect())
                .collect();
            prop_assert_eq!(read, rows);
        }
    }
}
