//! Which statement about a caller's address we trust: that of the configured proxies, beginning with the nearest.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use ipnet::IpNet;

/// How many entries of a header we read.
const MOST: usize = 32;

/// The proxies in front of this server.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    networks: Vec<IpNet>,
    /// Trusts only the nearest proxy's entry, whatever comes before it.
    one: bool,
}

impl Proxies {
    /// Trusts any number of proxies in a row whose addresses are in these networks.
    pub const fn of(networks: Vec<IpNet>) -> Self {
        Self { networks, one: false }
    }

    /// Trusts one proxy, whose address is in one of these networks.
    pub const fn one_of(networks: Vec<IpNet>) -> Self {
        Self { networks, one: true }
    }

    fn hold(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.networks.iter().any(|network| network.contains(&address))
    }

    /// Returns the caller's address: from the right, the first entry that is not a proxy's. The caller could have written anything to the
    /// left of it.
    pub fn caller(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer?;
        if !self.hold(peer) {
            return Some(peer);
        }
        let lines: Vec<&str> =
            headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or("?")).collect();
        let mut nearest = peer;
        for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')).take(if self.one { 1 } else { MOST }) {
            // A proxy writes a readable address, so an unreadable entry is not from a proxy.
            let Some(address) = address(entry.trim()) else { break };
            nearest = address;
            if !self.hold(address) {
                break;
            }
        }
        Some(nearest.to_canonical())
    }
}

/// Checks whether a proxy forwarded a request. Behind a proxy on the same machine, every caller looks local.
pub fn was_forwarded(headers: &HeaderMap) -> bool {
    headers.keys().any(|name| {
        let name = name.as_str();
        matches!(name, "forwarded" | "x-real-ip" | "via") || name.starts_with("x-forwarded-")
    })
}

/// Reads an address as proxies write it: alone or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(proxies: &Proxies, peer: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", line.parse().expect("a header"));
        }
        proxies.caller(peer.parse().ok(), &headers).expect("an address").to_string()
    }

    #[test]
    fn only_what_proxies_say_counts_and_from_the_right() {
        let ours = Proxies::of(vec!["10.0.0.0/8".parse().unwrap(), "2001:db8::/32".parse().unwrap()]);
        for (peer, lines, expected) in [
            // The peer is not one of our proxies, so its header does not count.
            ("203.0.113.9", &["1.2.3.4"][..], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("::ffff:10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            // What the caller wrote is to the left of what the proxies added.
            ("10.0.0.1", &["1.2.3.4, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["1.2.3.4", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            ("10.0.0.1", &["10.9.9.9, 198.51.100.7, 10.0.0.2, 10.0.0.3"], "198.51.100.7"),
            ("10.0.0.1", &["198.51.100.7:4711"], "198.51.100.7"),
            ("10.0.0.1", &["[2001:db9::1]:443"], "2001:db9::1"),
            ("2001:db8::1", &["[2001:db9::1]"], "2001:db9::1"),
            // The header is empty or unreadable: the nearest known address counts.
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["1.2.3.4, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["1.2.3.4, garbage, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["1.2.3.4, "], "10.0.0.1"),
            // If every entry is a proxy, the furthest one counts.
            ("10.0.0.1", &["10.0.0.9, 10.0.0.2"], "10.0.0.9"),
        ] {
            assert_eq!(caller(&ours, peer, lines), expected, "{peer} {lines:?}");
        }
        assert_eq!(caller(&Proxies::default(), "127.0.0.1", &["1.2.3.4"]), "127.0.0.1");
        let one = Proxies::one_of(vec!["10.0.0.0/8".parse().unwrap()]);
        assert_eq!(caller(&one, "10.0.0.1", &["1.2.3.4, 10.0.0.50"]), "10.0.0.50");
    }
}
