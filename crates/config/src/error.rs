//! Errors of the configuration: one line per wrong key.

/// Why the configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// A key is wrong: which one, where it comes from, and what is expected.
    #[error("configuration: `{key}` (from {from}): {expected}")]
    Key { key: String, from: String, expected: String },
    #[error("configuration: {0}")]
    Other(String),
}

impl From<figment::Error> for ConfigError {
    fn from(error: figment::Error) -> Self {
        // The first error is enough; the next start shows the next one.
        let Some(first) = error.into_iter().next() else {
            return Self::Other("cannot be read".into());
        };
        let from = first.metadata.as_ref().map_or_else(|| "defaults".to_owned(), |source| source.name.to_string());
        let expected = describe(&first.kind);
        if first.path.is_empty() {
            Self::Other(format!("{expected} (from {from})"))
        } else {
            Self::Key { key: first.path.join("."), from, expected }
        }
    }
}

/// Says what is expected without repeating the value, which might be a secret.
fn describe(kind: &figment::error::Kind) -> String {
    use figment::error::Kind;
    match kind {
        Kind::InvalidType(_, expected) | Kind::InvalidValue(_, expected) => format!("expected {expected}"),
        Kind::UnknownVariant(_, known) => format!("expected one of {}", known.join(", ")),
        Kind::UnknownField(field, known) => format!("there is no key {field:?} here; known are {}", known.join(", ")),
        Kind::MissingField(field) => format!("the key {field:?} is missing"),
        Kind::DuplicateField(field) => format!("the key {field:?} occurs twice"),
        Kind::ISizeOutOfRange(_) | Kind::USizeOutOfRange(_) => "the number is out of range".into(),
        Kind::Message(message) if message.starts_with("invalid ") || message.contains("relative URL") => {
            format!("not a valid value: {message}")
        }
        Kind::Message(message) => message.lines().next().unwrap_or("cannot be read").to_owned(),
        other => other.to_string(),
    }
}
