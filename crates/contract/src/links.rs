//! Links within the desk: where somebody may be sent back to, and how that is put into a query. Pure, and the only place for it.

use adagent_domain::Network;

const MAX: usize = 500;

/// The path when it cannot lead elsewhere; anything doubtful is ignored, as the contract says.
pub fn return_path(path: &str) -> Option<String> {
    let inside = path.starts_with('/') && path.len() <= MAX;
    // Browsers read a backslash as a slash and drop control characters before they look.
    let plain = !path.chars().any(|c| c == '\\' || c.is_control() || c.is_whitespace());
    // Two slashes begin a host, also when a browser has folded "/.." in front of them.
    let place = path.split(['?', '#']).next().unwrap_or_default();
    (inside && plain && !place.contains("//")).then(|| path.to_owned())
}

/// Percent-encodes what must not stand bare in a query value.
pub fn encode(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

/// The path, saying which network is there now: that makes the agent go on with what was asked.
pub fn connected(path: &str, network: &str) -> String {
    let (path, fragment) =
        path.split_once('#').map_or((path, String::new()), |(path, rest)| (path, format!("#{rest}")));
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}connected={}{fragment}", encode(network))
}

/// The path, saying which network is switched on now: that makes the agent go on, too.
pub fn enabled(path: &str, network: &str) -> String {
    connected(path, network).replacen("connected=", "enabled=", 1)
}

/// The path, saying at which networks a consent was left that a person must remove; as it is when there is none.
pub fn leaving(path: &str, networks: &[Network]) -> String {
    if networks.is_empty() {
        return path.to_owned();
    }
    let mark = if path.contains('?') { '&' } else { '?' };
    let names = networks.iter().map(|network| network.id()).collect::<Vec<_>>().join(".");
    format!("{path}{mark}left={names}")
}

/// The networks of such an address: what is no network's id says nothing.
pub fn left(value: &str) -> Vec<Network> {
    value.split('.').filter_map(|name| name.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_this_site_are_kept() {
        for path in ["/chat/019aa5c4-9a3e-7000-8000-000000000000", "/", "/chat?x=https://a.b/#c", "/chat/1?x=2#y"] {
            assert_eq!(return_path(path).as_deref(), Some(path));
        }
    }

    #[test]
    fn everything_that_could_lead_away_is_ignored() {
        let evil = [
            "",
            "chat",
            "//evil.example",
            "/\\evil.example",
            "/\\/evil",
            "https://evil.example",
            "/\t/evil.example",
            "/a\nb",
            "/a b",
            "/..//evil.example",
            "/.//evil.example",
            "javascript:x",
        ];
        for path in evil {
            assert_eq!(return_path(path), None, "{path:?}");
        }
        assert_eq!(return_path(&format!("/{}", "x".repeat(MAX))), None);
    }

    #[test]
    fn an_address_says_what_was_left_and_nothing_else_comes_of_it() {
        assert_eq!(leaving("/sign-in", &[]), "/sign-in");
        let both = [Network::AdMob, Network::AdManager];
        let path = leaving("/sign-in?deleted=1", &both);
        assert_eq!(path, "/sign-in?deleted=1&left=admob.admanager");
        assert_eq!(left(path.rsplit('=').next().unwrap_or_default()), both);
        assert_eq!(left("Call 555-0100.admob"), [Network::AdMob]);
        assert_eq!(left(""), []);
    }

    #[test]
    fn a_path_survives_being_a_query_value() {
        assert_eq!(encode("/chat/1?a=b&c=d e"), "/chat/1%3Fa%3Db%26c%3Dd%20e");
    }

    #[test]
    fn the_acknowledgement_joins_an_existing_query() {
        assert_eq!(connected("/chat/1", "admob"), "/chat/1?connected=admob");
        assert_eq!(connected("/chat/1?a=b#c", "admob"), "/chat/1?a=b&connected=admob#c");
    }
}
