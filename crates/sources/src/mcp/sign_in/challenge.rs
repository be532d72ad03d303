//! Reads the challenge of a server that wants a token: the header `WWW-Authenticate` (RFC 6750, RFC 9728). Pure.

/// The most characters that we read of a header.
const MOST: usize = 4_000;

/// What a challenge says about the sign-in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    pub resource_metadata: Option<String>,
    pub scope: Option<String>,
}

impl Challenge {
    pub fn of(header: &str) -> Self {
        let mut out = Self::default();
        let header: String = header.chars().take(MOST).collect();
        for (name, value) in Parameters(&header) {
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" if out.resource_metadata.is_none() => out.resource_metadata = Some(value),
                "scope" if out.scope.is_none() => out.scope = Some(value),
                _ => {}
            }
        }
        out
    }
}

/// Finds each `name=value` or `name="value"`, whatever scheme it belongs to.
struct Parameters<'a>(&'a str);

impl Iterator for Parameters<'_> {
    type Item = (String, String);

    fn next(&mut self) -> Option<Self::Item> {
        let (before, after) = self.0.split_once('=')?;
        let name = before.rsplit([' ', ',', '\t']).next().unwrap_or_default().to_owned();
        let (value, rest) = if let Some(quoted) = after.strip_prefix('"') {
            quoted_value(quoted)
        } else {
            let end = after.find([',', ' ', '\t']).unwrap_or(after.len());
            let (value, rest) = after.split_at(end);
            (value.to_owned(), rest)
        };
        self.0 = rest;
        Some((name, value))
    }
}

/// Returns a value up to its closing quote, and what follows the quote.
fn quoted_value(text: &str) -> (String, &str) {
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return (value, text.get(at + 1..).unwrap_or_default()),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_names_metadata_and_scope_in_any_order() {
        let of = |header: &str| {
            let Challenge { resource_metadata, scope } = Challenge::of(header);
            (resource_metadata.unwrap_or_default(), scope.unwrap_or_default())
        };
        let url = "https://mcp.example.com/.well-known/oauth-protected-resource?a=b,c";
        assert_eq!(
            of(&format!(r#"Bearer resource_metadata="{url}", scope="read write""#)),
            (url.into(), "read write".into())
        );
        assert_eq!(
            of(&format!(r#"Basic realm="x, y", Bearer SCOPE=read,resource_metadata="{url}""#)),
            (url.into(), "read".into())
        );
        assert_eq!(of(r#"Bearer scope="a\"b""#), (String::new(), "a\"b".into()));
        for nothing in ["", "Bearer", "=", "Bearer scope", r#"Bearer error="scope=x""#] {
            assert_eq!(of(nothing), (String::new(), String::new()), "{nothing}");
        }
    }

    #[test]
    fn no_header_makes_the_reader_stumble() {
        for header in ["\"", "a=\"", "a=\"\\", "====", "é=ü", "a=\"é\"b=ü", "scope=\u{202E}"] {
            let _ = Challenge::of(header);
            let _ = Challenge::of(&header.repeat(3_000));
        }
    }
}
