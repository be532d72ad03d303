//! Whose a tool is: a network's, or this program's own.

use serde::{Deserialize, Serialize};

use crate::Network;

/// Where a tool comes from, and so where its calls go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub enum Source {
    Network(Network),
    /// This program itself: its calls read and change what a workspace keeps here.
    Native,
}

impl Source {
    /// The id that digests, metrics and traces carry. No network has this one.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Network(network) => network.id(),
            Self::Native => "native",
        }
    }

    pub const fn display_name(self) -> &'static str {
        match self {
            Self::Network(network) => network.display_name(),
            Self::Native => "ADAgentAI",
        }
    }

    pub const fn network(self) -> Option<Network> {
        match self {
            Self::Network(network) => Some(network),
            Self::Native => None,
        }
    }
}

impl From<Network> for Source {
    fn from(network: Network) -> Self {
        Self::Network(network)
    }
}

/// Flattened into what has a source: `"network": "admob"`, as networks have always been written, or `"source": "native"`.
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
}

impl From<Source> for Wire {
    fn from(source: Source) -> Self {
        match source {
            Source::Network(network) => Self { network: Some(network), source: None },
            Source::Native => Self { network: None, source: Some(Kind::Native) },
        }
    }
}

impl TryFrom<Wire> for Source {
    type Error = &'static str;

    fn try_from(wire: Wire) -> Result<Self, Self::Error> {
        match wire {
            Wire { network: Some(network), source: None } => Ok(Self::Network(network)),
            Wire { network: None, source: Some(Kind::Native) } => Ok(Self::Native),
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
    fn no_network_is_called_native() {
        assert!(Network::ALL.iter().all(|network| network.id() != Source::Native.id()));
    }
}
