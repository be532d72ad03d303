//! Rules for texts. Collects every wrong field, so that a form shows all of them at once.

use adagent_contract::FieldError;
use adagent_domain::text::{hidden_in, without_hidden};

use crate::{ServiceError, ServiceResult};

/// The wrong fields found so far.
#[derive(Default)]
pub struct Fields(Vec<FieldError>);

impl Fields {
    pub fn wrong(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.0.push(FieldError::new(pointer, message));
    }

    /// Returns a valid value, or notes why it is wrong.
    pub fn take<T, E: std::fmt::Display>(&mut self, pointer: &str, value: Result<T, E>) -> Option<T> {
        value.map_err(|error| self.wrong(pointer, error.to_string())).ok()
    }

    pub fn done(self) -> ServiceResult<()> {
        if self.0.is_empty() { Ok(()) } else { Err(ServiceError::Validation(self.0)) }
    }
}

/// Checks a text of several lines: no control characters except line breaks and tabs, at most `max` characters, not blank. Removes
/// invisible characters, which come with pasted text and would keep names from being found.
pub fn text(value: &str, what: &str, max: usize) -> Result<String, String> {
    let value = without_hidden(value).replace("\r\n", "\n").replace('\r', "\n");
    check(&value, what, max, |c| matches!(c, '\n' | '\t'))?;
    if value.trim().is_empty() {
        return Err(format!("{what} must not be empty."));
    }
    Ok(value.trim().to_owned())
}

/// Checks a text of one line and returns it trimmed; it must not be blank.
pub fn line(value: &str, what: &str, max: usize) -> Result<String, String> {
    let value = value.trim();
    check(value, what, max, |_| false)?;
    if let Some(hidden) = hidden_in(value) {
        return Err(format!("{what} contains the invisible character {hidden}, which is not allowed."));
    }
    if value.is_empty() {
        return Err(format!("{what} must not be empty."));
    }
    Ok(value.to_owned())
}

fn check(value: &str, what: &str, max: usize, allowed: impl Fn(char) -> bool) -> Result<(), String> {
    let length = value.chars().count();
    if length > max {
        return Err(format!("{what} has {length} characters; the limit is {max}."));
    }
    match value.chars().find(|c| c.is_control() && !allowed(*c)) {
        Some(c) => Err(format!("{what} contains the control character U+{:04X}, which is not allowed.", u32::from(c))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_lines_and_tabs_and_refuse_other_control_characters() {
        assert_eq!(text(" a\r\n\tb ", "The message", 10), Ok("a\n\tb".into()));
        assert!(text("a\u{0}b", "The message", 10).unwrap_err().contains("U+0000"));
        assert!(text(" \n ", "The message", 10).unwrap_err().contains("empty"));
        assert!(text(&"é".repeat(11), "The message", 10).unwrap_err().contains("11 characters"));
        assert!(line("a\nb", "The title", 10).is_err());
        assert_eq!(text("a\u{202E}b\u{200B}", "The message", 10), Ok("ab".into()));
        assert!(text("\u{2066}\u{2069}", "The message", 10).unwrap_err().contains("empty"));
        assert!(line("a\u{202E}b", "The title", 10).unwrap_err().contains("U+202E"));
    }
}
