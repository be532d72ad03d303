//! Decides which addresses may be called at all. Pure.

use std::net::IpAddr;

use url::{Host, Url};

/// Why we do not call an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elsewhere {
    /// The scheme is not `https`.
    Unencrypted,
    /// The port is not 443.
    Port,
    /// The host is an IP address instead of a name.
    Literal,
    /// The address contains a user name or a password.
    Userinfo,
    NoHost,
}

impl Elsewhere {
    /// Returns what is wrong with an address that a person typed; `None` if it is fine or the configuration allows its host.
    pub fn of(url: &Url, allowed: &[String]) -> Option<Self> {
        if !url.username().is_empty() || url.password().is_some() {
            return Some(Self::Userinfo);
        }
        let Some(host) = url.host() else { return Some(Self::NoHost) };
        let name = host.to_string();
        let named = allowed.iter().any(|one| {
            let (host, port) = host_and_port(one);
            host.eq_ignore_ascii_case(name.trim_end_matches('.'))
                && port.is_none_or(|port| url.port_or_known_default() == Some(port))
        });
        match (url.scheme(), host) {
            ("http" | "https", _) if named => None,
            ("https", Host::Domain(_)) if url.port().is_some() => Some(Self::Port),
            ("https", Host::Domain(_)) => None,
            ("https", _) => Some(Self::Literal),
            _ => Some(Self::Unencrypted),
        }
    }
}

/// Splits an allowed host of the configuration into the host and its port, if it names one.
pub fn host_and_port(entry: &str) -> (&str, Option<u16>) {
    // The colons inside `[::1]` do not start a port.
    match entry.rsplit_once(':').filter(|(_, port)| !port.contains(']')) {
        Some((host, port)) => port.parse().map_or((entry, None), |port| (host, Some(port))),
        None => (entry, None),
    }
}

/// Checks whether an address is public. The name of an allowed host must not lead into our own network.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b);
            // Protocol assignments and network benchmarks.
            let special = (a, b, c) == (192, 0, 0) || (a == 198 && matches!(b, 18 | 19));
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                || v4.is_documentation()
                || a == 0
                || a >= 240
                || shared
                || special)
        }
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            // Global unicast is 2000::/3.
            (0x2000..0x4000).contains(&first) && first != 0x2002 && !matches!(v6.segments()[..2], [0x2001, 0 | 0xdb8])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_leads_to_a_name_over_https_unless_the_configuration_names_it() {
        let allowed = ["tools.internal".to_owned(), "127.0.0.1".to_owned()];
        let of = |url: &str| Elsewhere::of(&url.parse().expect("an address"), &allowed);
        assert_eq!(of("https://mcp.example.com/mcp"), None);
        assert_eq!(of("http://mcp.example.com/mcp"), Some(Elsewhere::Unencrypted));
        assert_eq!(of("https://mcp.example.com:8443/mcp"), Some(Elsewhere::Port));
        assert_eq!(of("https://10.0.0.1/mcp"), Some(Elsewhere::Literal));
        assert_eq!(of("https://[::1]/mcp"), Some(Elsewhere::Literal));
        assert_eq!(of("https://me:secret@mcp.example.com/"), Some(Elsewhere::Userinfo));
        assert_eq!(of("ftp://tools.internal/"), Some(Elsewhere::Unencrypted));
        assert_eq!(of("http://Tools.Internal:4301/mcp"), None);
        assert_eq!(of("http://127.0.0.1:4301/mcp"), None);
        let allowed = ["tools.internal:4301".to_owned(), "[::1]:4301".to_owned()];
        let of = |url: &str| Elsewhere::of(&url.parse().expect("an address"), &allowed);
        assert_eq!((of("http://tools.internal:4301/mcp"), of("http://[::1]:4301/mcp")), (None, None));
        assert_eq!(of("http://tools.internal:5432/"), Some(Elsewhere::Unencrypted));
        assert_eq!(of("https://tools.internal:5432/"), Some(Elsewhere::Port));
        assert_eq!(of("https://[::1]/"), Some(Elsewhere::Literal));
        assert_eq!((host_and_port("[::1]"), host_and_port("a.b")), (("[::1]", None), ("a.b", None)));
    }

    #[test]
    fn addresses_of_our_own_network_are_told_apart() {
        for ours in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "255.255.255.255",
            "224.0.0.1",
            "240.0.0.1",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "ff02::1",
            "2002:a00:1::",
            "198.18.0.1",
            "198.19.255.255",
            "192.0.0.8",
            "2001:db8::1",
        ] {
            assert!(!is_public(ours.parse().expect("an address")), "{ours}");
        }
        for theirs in
            ["52.216.1.1", "8.8.8.8", "198.20.0.1", "192.0.1.1", "2001:db9::1", "2600:1f18::1", "::ffff:8.8.8.8"]
        {
            assert!(is_public(theirs.parse().expect("an address")), "{theirs}");
        }
    }
}
