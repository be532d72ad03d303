//! Where a tool comes from: a network, this program, or a tool server.

use serde::{Deserialize, Serialize};

use crate::Network;

/// The source of a tool, which is also where its calls go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub enum Source {
    Network(Network),
    /// This program: its calls read and change what a workspace keeps here.
    Native,
    /// A server of others that speaks the Model Context Protocol. The tool's name says which server: `mcp:{server}:{tool}`.
    Mcp,
}

impl Source {
    /// All sources that are not networks.
    pub const OTHERS: [Self; 2] = [Self::Native, Self::Mcp];

    /// Returns the ID in digests, metrics and traces. No network has the ID of another source.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Network(network) => network.id(),
            Self::Native => "native",
            Self::Mcp => "mcp",
        }
    }

    pub const fn display_name(self) -> &'static str {
        match self {
            Self::Network(network) => network.display_name(),
            Self::Native => "ADAgentAI",
            Self::Mcp => "a tool server",
        }
    }

    pub const fn network(self) -> Option<Network> {
        match self {
            Self::Network(network) => Some(network),
            Self::Native | Self::Mcp => None,
        }
    }
}

impl From<Network> for Source {
    fn from(network: Network) -> Self {
        Self::Network(network)
    }
}

/// The wire form, flattened into a type that has a source: `"network": "admob"`, as networks have always been written, or `"source":
/// "native"` or `"source": "mcp"`.
#[derive(Serialize, Deserialize)]
struct Wire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    network: Option<Network>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<Kind>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Native,
    Mcp,
}

impl From<Source> for Wire {
    fn from(source: Source) -> Self {
        match source {
            Source::Network(network) => Self { network: Some(network), source: None },
            Source::Native => Self { network: None, source: Some(Kind::Native) },
            Source::Mcp => Self { network: None, source: Some(Kind::Mcp) },
        }
    }
}

impl TryFrom<Wire> for Source {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        match wire {
            Wire { network: Some(network), source: None } => Ok(Self::Network(network)),
            Wire { network: None, source: Some(Kind::Native) } => Ok(Self::Native),
            Wire { network: None, source: Some(Kind::Mcp) } => Ok(Self::Mcp),
            Wire { .. } => Err("either `network` or `source` says whose tool it is"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Event {
        Tool {
            name: String,
            #[serde(flatten)]
            source: Source,
        },
    }

    #[test]
    fn a_network_is_written_as_network_and_everything_else_as_source() {
        for (source, wire) in [
            (Source::Network(Network::AdMob), json!({"type": "tool", "name": "x", "network": "admob"})),
            (Source::Native, json!({"type": "tool", "name": "x", "source": "native"})),
            (Source::Mcp, json!({"type": "tool", "name": "x", "source": "mcp"})),
        ] {
            let event = Event::Tool { name: "x".into(), source };
            assert_eq!(serde_json::to_value(&event).expect("writes"), wire);
            assert_eq!(serde_json::from_value::<Event>(wire).expect("reads"), event);
        }
        let read = |wire: Json| serde_json::from_value::<Event>(wire).is_ok();
        assert!(!read(json!({"type": "tool", "name": "x"})));
        assert!(!read(json!({"type": "tool", "name": "x", "network": "admob", "source": "native"})));
    }

    #[test]
    fn no_network_is_called_as_another_source() {
        let other = |network: &Network| Source::OTHERS.iter().any(|source| source.id() == network.id());
        assert!(!Network::ALL.iter().any(other));
    }
}
