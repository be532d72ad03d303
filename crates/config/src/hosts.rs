//! Lists of hosts as people write them: `tools.internal, 10.0.0.7`, or the same as a list.

use serde::{Deserialize, Deserializer, de::Error as _};

/// Names or addresses without a scheme. A host with a port means only that port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    List(Vec<String>),
}

impl<'de> Deserialize<'de> for Hosts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        const EXPECTED: &str =
            "expected hosts such as tools.internal, or tools.internal:8443, with commas between them, without https://";
        let parts = match Written::deserialize(from).map_err(|_| D::Error::custom(EXPECTED))? {
            Written::Text(text) => text.split(',').map(str::to_owned).collect(),
            Written::List(parts) => parts,
        };
        let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        parts.map(host).collect::<Option<_>>().map(Self).ok_or_else(|| D::Error::custom(EXPECTED))
    }
}

fn host(text: &str) -> Option<String> {
    if let Ok(host) = url::Host::parse(text) {
        return Some(host.to_string());
    }
    let (host, port) = text.rsplit_once(':')?;
    let (host, port) = (url::Host::parse(host).ok()?, port.parse::<std::num::NonZeroU16>().ok()?);
    Some(format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Given<'a> = Result<Hosts, serde::de::value::Error>;

    #[test]
    fn hosts_are_read_as_text_or_list() {
        use serde::de::IntoDeserializer as _;
        let text = |text: &str| -> Given<'_> { Hosts::deserialize(text.into_deserializer()) };
        let both = vec!["tools.internal".to_owned(), "127.0.0.1".to_owned()];
        assert_eq!(text(" Tools.Internal , 127.0.0.1"), Ok(Hosts(both.clone())));
        let list: Given<'_> = Hosts::deserialize(both.clone().into_deserializer());
        assert_eq!(list, Ok(Hosts(both)));
        assert_eq!(text(""), Ok(Hosts::default()));
        let ports = vec!["tools.internal:8443".to_owned(), "[::1]:4301".to_owned()];
        assert_eq!(text("Tools.Internal:8443, [::1]:4301"), Ok(Hosts(ports)));
        for wrong in ["https://tools.internal", "tools.internal:", "tools.internal:0", "tools.internal:99999", "a b"] {
            assert!(text(wrong).is_err(), "{wrong}");
        }
    }
}
