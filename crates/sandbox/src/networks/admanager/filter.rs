//! Filters of lists: `displayName = "News*" AND (status = ACTIVE OR NOT archived = true)`. `OR` binds tighter than `AND`. Also supports the
//! "has" operator `:` and bare words. Reads objects and never changes them.

use jiff::Timestamp;
use serde_json::Value;

use super::schema::{self, Kind};
use crate::networks::admob::errors::ApiError;
use crate::networks::admob::fields::camel;

#[derive(Debug, PartialEq)]
pub enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
    Compare { path: String, operator: String, value: String },
    Word(String),
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Text(String),
    Word(String),
    Operator(String),
    Open,
    Close,
    Minus,
}

fn wrong(message: impl Into<String>) -> ApiError {
    ApiError::invalid("filter", message)
}

fn tokens(text: &str) -> Result<Vec<Token>, ApiError> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(first) = chars.next() {
        match first {
            c if c.is_whitespace() => {}
            '(' => found.push(Token::Open),
            ')' => found.push(Token::Close),
            '"' => {
                let mut inner = String::new();
                loop {
                    match chars.next() {
                        None => return Err(wrong("a double quote is not closed")),
                        Some('"') => break,
                        Some('\\') => inner.extend(chars.next()),
                        Some(other) => inner.push(other),
                    }
                }
                found.push(Token::Text(inner));
            }
            '=' | ':' => found.push(Token::Operator(first.to_string())),
            '<' | '>' | '!' => {
                let equal = chars.next_if_eq(&'=').is_some();
                if first == '!' && !equal {
                    return Err(wrong("\"=\" is expected after \"!\""));
                }
                found.push(Token::Operator(if equal { format!("{first}=") } else { first.to_string() }));
            }
            '-' if chars.peek().is_some_and(|next| next.is_alphabetic() || *next == '(' || *next == '"') => {
                found.push(Token::Minus);
            }
            '\'' => return Err(wrong("texts are put in double quotes")),
            other => {
                let mut word = other.to_string();
                while let Some(next) = chars.next_if(|c| !c.is_whitespace() && !"()\"=:<>!".contains(*c)) {
                    word.push(next);
                }
                found.push(Token::Word(word));
            }
        }
    }
    Ok(found)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(it)) if it == word)
    }

    fn next(&mut self) -> Option<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    /// Parses factors joined by AND, or by nothing.
    fn all(&mut self, depth: usize) -> Result<Expression, ApiError> {
        let mut parts = vec![self.any(depth)?];
        while self.peek().is_some_and(|token| *token != Token::Close) {
            if self.is_word("AND") {
                self.at += 1;
            }
            parts.push(self.any(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    /// Parses terms joined by OR, which binds tighter than AND.
    fn any(&mut self, depth: usize) -> Result<Expression, ApiError> {
        let mut parts = vec![self.term(depth)?];
        while self.is_word("OR") {
            self.at += 1;
            parts.push(self.term(depth)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn term(&mut self, depth: usize) -> Result<Expression, ApiError> {
        if depth > 20 {
            return Err(wrong("the expression is nested too deeply"));
        }
        match self.next() {
            Some(Token::Minus) => Ok(Expression::Not(Box::new(self.term(depth + 1)?))),
            Some(Token::Word(word)) if word == "NOT" => Ok(Expression::Not(Box::new(self.term(depth + 1)?))),
            Some(Token::Open) => {
                let inner = self.all(depth + 1)?;
                match self.next() {
                    Some(Token::Close) => Ok(inner),
                    _ => Err(wrong("\")\" is expected")),
                }
            }
            Some(Token::Word(word)) if word == "AND" || word == "OR" => {
                Err(wrong(format!("a restriction is expected before {word}")))
            }
            Some(Token::Word(word)) => {
                if !matches!(self.peek(), Some(Token::Operator(_))) {
                    return Ok(Expression::Word(word));
                }
                let Some(Token::Operator(operator)) = self.next() else { return Err(wrong("an operator is expected")) };
                match self.next() {
                    Some(Token::Text(value) | Token::Word(value)) => {
                        let path: Vec<String> = word.split('.').map(camel).collect();
                        Ok(Expression::Compare { path: path.join("."), operator, value })
                    }
                    _ => Err(wrong(format!("a value is expected after {word} {operator}"))),
                }
            }
            Some(Token::Text(text)) => Ok(Expression::Word(text)),
            Some(other) => Err(wrong(format!("{other:?} was not expected here"))),
            None => Err(wrong("the expression ends too early")),
        }
    }
}

/// Parses a filter for a collection and refuses fields that cannot be filtered by.
pub fn parse(text: &str, collection: &str, message: &str) -> Result<Option<Expression>, ApiError> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Ok(None);
    }
    let mut parser = Parser { tokens, at: 0 };
    let mut expression = parser.all(0)?;
    if parser.peek().is_some() {
        return Err(wrong("a \")\" too many"));
    }
    check(&mut expression, collection, message)?;
    Ok(Some(expression))
}

fn check(expression: &mut Expression, collection: &str, message: &str) -> Result<(), ApiError> {
    match expression {
        Expression::All(parts) | Expression::Any(parts) => {
            parts.iter_mut().try_for_each(|part| check(part, collection, message))
        }
        Expression::Not(part) => check(part, collection, message),
        Expression::Word(_) => Ok(()),
        Expression::Compare { path, operator, value } => {
            if let Some(rest) = path.strip_prefix(&format!("{collection}.")) {
                *path = rest.to_owned();
            }
            let allowed = schema::filterable(collection);
            let field = schema::at(message, path);
            if allowed.is_some_and(|list| !list.contains(&path.as_str())) || (allowed.is_none() && field.is_none()) {
                let names = allowed.map(|list| list.join(", ")).unwrap_or_default();
                return Err(wrong(format!("{path} cannot be filtered by; these can: {names}")));
            }
            let bad = |expected: &str| Err(wrong(format!("{path} {operator} {value}: {expected} is expected")));
            match field.map(|field| field.kind) {
                Some(Kind::Enum(name)) if !schema::members(name).iter().any(|(member, _)| member == value) => {
                    let names: Vec<&str> = schema::members(name).iter().map(|(member, _)| *member).collect();
                    bad(&format!("one of {}", names.join(", ")))
                }
                Some(Kind::Bool) if value != "true" && value != "false" => bad("true or false"),
                Some(Kind::Int64 | Kind::Int32 | Kind::Double) if value.parse::<f64>().is_err() => bad("a number"),
                Some(Kind::Time) if value.parse::<Timestamp>().is_err() => bad("a time such as 2026-01-01T00:00:00Z"),
                _ => Ok(()),
            }
        }
    }
}

/// Collects all values at the end of a path, including those inside lists.
fn leaves<'a>(value: &'a Value, path: &[&str], found: &mut Vec<&'a Value>) {
    match (value, path) {
        (Value::Array(items), _) => items.iter().for_each(|item| leaves(item, path, found)),
        (Value::Null, _) => {}
        (_, []) => found.push(value),
        (_, [first, rest @ ..]) => {
            if let Some(next) = value.get(*first) {
                leaves(next, rest, found);
            }
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Compares a text with a pattern, in which `*` matches any text.
fn like(text: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return text == pattern };
    let Some(mut left) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    let (last, middle) = parts.split_last().unwrap_or((&"", &[]));
    for part in middle {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.len() >= last.len() && left.ends_with(last)
}

fn compare(kind: Option<Kind>, have: &Value, operator: &str, want: &str) -> bool {
    use std::cmp::Ordering;
    let text = plain(have);
    let order: Option<Ordering> = match kind {
        Some(Kind::Int64 | Kind::Int32 | Kind::Double) => match (text.parse::<f64>(), want.parse::<f64>()) {
            (Ok(a), Ok(b)) => a.partial_cmp(&b),
            _ => None,
        },
        Some(Kind::Time) => match (text.parse::<Timestamp>(), want.parse::<Timestamp>()) {
            (Ok(a), Ok(b)) => Some(a.cmp(&b)),
            _ => None,
        },
        _ => Some(text.as_str().cmp(want)),
    };
    let equal = order == Some(Ordering::Equal) || (kind == Some(Kind::Text) && like(&text, want));
    match operator {
        "=" => equal,
        "!=" => !equal,
        "<" => order == Some(Ordering::Less),
        "<=" => order.is_some_and(Ordering::is_le),
        ">" => order == Some(Ordering::Greater),
        ">=" => order.is_some_and(Ordering::is_ge),
        // The "has" operator: part of a text, the last part of a name in a list, or any value at all.
        _ if want == "*" => true,
        _ if kind == Some(Kind::Text) => {
            text.to_lowercase().contains(&want.to_lowercase().replace('*', "")) || text.ends_with(&format!("/{want}"))
        }
        _ => equal,
    }
}

impl Expression {
    pub fn fits(&self, message: &str, object: &Value) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.fits(message, object)),
            Self::Any(parts) => parts.iter().any(|part| part.fits(message, object)),
            Self::Not(part) => !part.fits(message, object),
            Self::Word(word) => {
                let word = word.to_lowercase();
                object.as_object().into_iter().flatten().any(|(_, value)| plain(value).to_lowercase().contains(&word))
            }
            Self::Compare { path, operator, value } => {
                let mut found = Vec::new();
                leaves(object, &path.split('.').collect::<Vec<_>>(), &mut found);
                let kind = schema::at(message, path).map(|field| field.kind);
                if found.is_empty() {
                    // A missing field counts as the zero value of its type.
                    return match (operator.as_str(), kind) {
                        ("=", Some(Kind::Bool)) => value == "false",
                        ("!=", Some(Kind::Bool)) => value == "true",
                        ("!=", _) => true,
                        _ => false,
                    };
                }
                if operator == "!=" {
                    return found.iter().all(|have| compare(kind, have, operator, value));
                }
                found.iter().any(|have| compare(kind, have, operator, value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fits(text: &str) -> bool {
        let order = json!({
            "name": "networks/1/orders/5", "displayName": "Spring launch, video", "status": "APPROVED", "archived": false,
            "updateTime": "2026-10-01T00:00:00Z", "impressionsDelivered": "1200", "appliedTeams": ["networks/1/teams/7"],
        });
        parse(text, "orders", "Order").unwrap().unwrap().fits("Order", &order)
    }

    #[test]
    fn texts_numbers_times_enums_and_lists_are_compared_by_their_type() {
        for yes in [
            r#"displayName = "Spring*""#,
            r#"displayName:"VIDEO""#,
            r#"orders.updateTime > "2026-09-01T00:00:00-05:00""#,
            "impressionsDelivered >= 1200 AND impressionsDelivered < 10000",
            "status = APPROVED archived = false",
            r#"appliedTeams:"networks/1/teams/7" AND NOT status = PAUSED"#,
            "-status = PAUSED",
            "launch",
            "status = PAUSED OR status = APPROVED AND archived = false",
            r#"display_name != "x" AND (status = DRAFT OR status = APPROVED)"#,
        ] {
            assert!(fits(yes), "{yes}");
        }
        for no in [r#"displayName = "spring""#, "archived = true", "status = DRAFT OR status = PAUSED", "video -launch"]
        {
            assert!(!fits(no), "{no}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_fields_that_exist() {
        for bad in [
            "surprise = 1",
            "status = GONE",
            "archived = yes",
            r#"displayName = "open"#,
            "status =",
            "(status = DRAFT",
            "status = DRAFT)",
            "AND",
            "displayName = 'x'",
            "impressionsDelivered > many",
        ] {
            assert!(parse(bad, "orders", "Order").is_err(), "{bad}");
        }
        assert!(parse(&"(".repeat(60), "orders", "Order").is_err());
    }
}
