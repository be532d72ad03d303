//! Where to go after connecting: a path of this site and nothing else. Pure.

const MAX: usize = 500;

/// The path when it cannot lead elsewhere; anything doubtful is ignored, as the contract says.
pub fn safe(path: Option<&str>) -> Option<String> {
    let path = path?;
    let inside = path.starts_with('/') && !path.starts_with("//");
    // Browsers read a backslash as a slash and drop control characters before they look.
    let plain = path.len() <= MAX && !path.contains('\\') && !path.chars().any(|c| c.is_control() || c.is_whitespace());
    // What a browser would make of it must still be this site.
    let stays = url::Url::parse("https://this.site/").and_then(|base| base.join(path)).is_ok_and(|joined| {
        joined.host_str() == Some("this.site") && joined.scheme() == "https" && !joined.path().starts_with("//")
    });
    (inside && plain && stays).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_this_site_are_kept() {
        for path in ["/chat/019aa5c4-9a3e-7000-8000-000000000000", "/", "/chat?x=https://a.b/#c"] {
            assert_eq!(safe(Some(path)).as_deref(), Some(path));
        }
    }

    #[test]
    fn everything_that_could_lead_away_is_ignored() {
        let evil = [
            "",
            "chat",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/\t/evil.example",
            "/a\nb",
            "/..//evil.example",
            "javascript:x",
        ];
        for path in evil {
            assert_eq!(safe(Some(path)), None, "{path:?}");
        }
        assert_eq!(safe(Some(&format!("/{}", "x".repeat(MAX)))), None);
        assert_eq!(safe(None), None);
    }
}
