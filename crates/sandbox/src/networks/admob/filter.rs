//! The list filter `IN(FIELD,"v",…) AND CONTAINS_ANY(FIELD,"v",…)`. There is no `OR`.

use crate::networks::admob::errors::ApiError;

#[derive(Debug, PartialEq)]
pub struct Clause {
    pub field: String,
    pub values: Vec<String>,
}

impl Clause {
    pub fn any(&self, value: &str) -> bool {
        self.values.iter().any(|wanted| wanted == value)
    }
}

/// Parses a filter. `IN` accepts the fields in `single`, `CONTAINS_ANY` those in `many`.
pub fn parse(text: &str, single: &[&str], many: &[&str]) -> Result<Vec<Clause>, ApiError> {
    let wrong = |message: String| ApiError::invalid("filter", message);
    let mut rest = text.trim();
    let mut clauses = Vec::new();
    while !rest.is_empty() {
        let (function, after) =
            rest.split_once('(').ok_or_else(|| wrong(format!("a function such as IN(…) is expected at \"{rest}\"")))?;
        let allowed = match function.trim() {
            "IN" => single,
            "CONTAINS_ANY" => many,
            other => return Err(wrong(format!("unknown function \"{other}\"; IN and CONTAINS_ANY exist"))),
        };
        let (field, mut after) =
            after.split_once(',').ok_or_else(|| wrong("a field and at least one value are expected".into()))?;
        let field = field.trim();
        if !allowed.contains(&field) {
            return Err(wrong(format!(
                "{} does not take \"{field}\"; it takes {}",
                function.trim(),
                allowed.join(", ")
            )));
        }
        let mut values = Vec::new();
        loop {
            let body =
                after.trim_start().strip_prefix('"').ok_or_else(|| wrong("values must be in double quotes".into()))?;
            let (value, left) = quoted(body).ok_or_else(|| wrong("a double quote is not closed".into()))?;
            values.push(value);
            let left = left.trim_start();
            if let Some(left) = left.strip_prefix(',') {
                after = left;
            } else if let Some(left) = left.strip_prefix(')') {
                rest = left.trim_start();
                break;
            } else {
                return Err(wrong("\",\" or \")\" is expected after a value".into()));
            }
        }
        clauses.push(Clause { field: field.to_owned(), values });
        if rest.is_empty() {
            break;
        }
        rest = rest
            .strip_prefix("AND")
            .ok_or_else(|| wrong("functions are joined by AND; OR is not supported".into()))?
            .trim_start();
        if rest.is_empty() {
            return Err(wrong("a function is expected after AND".into()));
        }
    }
    Ok(clauses)
}

/// Reads up to the closing quote; a backslash escapes the next character.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((out, &text[at + 1..])),
            '\\' => out.push(chars.next()?.1),
            other => out.push(other),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_joined_by_and() {
        let clauses = parse(r#"IN(NAME, "a, b", "c") AND CONTAINS_ANY(IDS, "1")"#, &["NAME"], &["IDS"]).unwrap();
        assert_eq!(clauses[0].values, ["a, b", "c"]);
        assert_eq!(clauses[1].field, "IDS");
    }

    #[test]
    fn or_and_wrong_fields_and_open_quotes_are_refused() {
        for text in
            [r#"IN(NAME,"a") OR IN(NAME,"b")"#, r#"IN(IDS,"a")"#, r#"IN(NAME,"a)"#, "NAME = 3", r#"IN(NAME,"a") AND"#]
        {
            assert!(parse(text, &["NAME"], &["IDS"]).is_err(), "{text}");
        }
    }
}
