//! Lists of networks as people write them: `10.0.0.0/8, 192.168.1.5`, or the same as a list.

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, de::Error as _};

/// Networks by their prefix. A single address is a network of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IpNetworks(pub Vec<IpNet>);

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    List(Vec<String>),
}

impl<'de> Deserialize<'de> for IpNetworks {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        const EXPECTED: &str = "expected networks such as 10.0.0.0/8 or addresses, with commas between them";
        let parts = match Written::deserialize(from).map_err(|_| D::Error::custom(EXPECTED))? {
            Written::Text(text) => text.split(',').map(str::to_owned).collect(),
            Written::List(parts) => parts,
        };
        let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
        parts.map(network).collect::<Option<_>>().map(Self).ok_or_else(|| D::Error::custom(EXPECTED))
    }
}

fn network(text: &str) -> Option<IpNet> {
    let address = || text.parse::<std::net::IpAddr>().ok().map(IpNet::from);
    text.parse::<IpNet>().ok().or_else(address).map(|network| network.trunc())
}
