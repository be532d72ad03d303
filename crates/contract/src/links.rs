//! Links within this site: where we may send a browser back to, and how a query carries that address. This module is pure, and no other
//! code does this.

use adagent_domain::Network;

const MAX: usize = 500;

/// Returns the path if it cannot lead to another site. Otherwise returns `None`, so that we ignore a doubtful path, as the contract says.
pub fn return_path(path: &str) -> Option<String> {
    let inside = path.starts_with('/') && path.len() <= MAX;
    // Browsers read a backslash as a slash, and they drop control characters before they parse an address.
    let plain = !path.chars().any(|c| c == '\\' || c.is_control() || c.is_whitespace());
    // Two slashes begin a host, even after a browser has resolved a "/.." in front of them.
    let place = path.split(['?', '#']).next().unwrap_or_default();
    (inside && plain && !place.contains("//")).then(|| path.to_owned())
}

/// Percent-encodes the characters that a query value must not contain.
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

/// Adds to the path which network is connected now. The page then tells the assistant to continue with the question.
pub fn connected(path: &str, network: &str) -> String {
    with_query(path, &format!("connected={}", encode(network)))
}

/// Adds `name=value` to the path, before its fragment. The value must be encoded.
pub fn with_query(path: &str, pair: &str) -> String {
    let (path, fragment) =
        path.split_once('#').map_or((path, String::new()), |(path, rest)| (path, format!("#{rest}")));
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}{pair}{fragment}")
}

/// Adds to the path which network is turned on now. The assistant then continues, too.
pub fn enabled(path: &str, network: &str) -> String {
    connected(path, network).replacen("connected=", "enabled=", 1)
}

/// Adds to the path the networks at which a person must revoke our access. With no such network, the path stays as it is.
pub fn leaving(path: &str, networks: &[Network]) -> String {
    if networks.is_empty() {
        return path.to_owned();
    }
    let mark = if path.contains('?') { '&' } else { '?' };
    let names = networks.iter().map(|network| network.id()).collect::<Vec<_>>().join(".");
    format!("{path}{mark}left={names}")
}

/// Reads the networks from such an address and skips anything that is not a network's ID.
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
