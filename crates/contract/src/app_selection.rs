//! Which apps are selected in the context, for each network.
//!
//! Old settings name the apps of all networks in one list; they stay readable and writable. An ID of one network must never decide about
//! another network.

use std::{collections::BTreeMap, fmt};

use adagent_domain::Network;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, SeqAccess, Visitor, value},
};

/// The selected apps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AppSelection {
    /// One list for every network, as in old settings. A network with no app in the list has no app selected.
    Listed(Vec<String>),
    /// A list for each network. A network without a list has every app selected.
    Of(BTreeMap<Network, Vec<String>>),
}

impl AppSelection {
    /// Returns the selected apps of a network. `None` means all of them.
    pub fn of(&self, network: Network) -> Option<&[String]> {
        match self {
            Self::Listed(ids) => Some(ids),
            Self::Of(networks) => networks.get(&network).map(Vec::as_slice),
        }
    }

    pub fn has(&self, network: Network, app: &str) -> bool {
        self.of(network).is_none_or(|ids| ids.iter().any(|id| id == app))
    }

    /// Returns the apps that both selections have.
    #[must_use]
    pub fn within(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Listed(ids), Self::Listed(others)) => {
                Self::Listed(ids.into_iter().filter(|id| others.contains(id)).collect())
            }
            (wanted, other) => Self::Of(
                Network::ALL
                    .into_iter()
                    .filter_map(|network| match (wanted.of(network), other.of(network)) {
                        (None, None) => None,
                        (Some(ids), None) | (None, Some(ids)) => Some((network, ids.to_vec())),
                        (Some(ids), Some(others)) => {
                            Some((network, ids.iter().filter(|id| others.contains(id)).cloned().collect()))
                        }
                    })
                    .collect(),
            ),
        }
    }
}

impl From<Vec<String>> for AppSelection {
    fn from(ids: Vec<String>) -> Self {
        Self::Listed(ids)
    }
}

impl<'de> Deserialize<'de> for AppSelection {
    /// Reads a selection. We wrote this by hand, so that an error names its place instead of "no variant fits".
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = AppSelection;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of ids, or an object of lists by network")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<AppSelection, A::Error> {
                Vec::deserialize(value::SeqAccessDeserializer::new(seq)).map(AppSelection::Listed)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AppSelection, A::Error> {
                BTreeMap::deserialize(value::MapAccessDeserializer::new(map)).map(AppSelection::Of)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> AppSelection {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn both_shapes_are_read_and_written_as_they_were() {
        for text in [r#"["a","b"]"#, r#"{"admob":["a"],"unity":[]}"#, "[]", "{}"] {
            assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
        }
        for wrong in [r#""a""#, "[1]", r#"{"facebook":[]}"#, r#"{"admob":"a"}"#] {
            assert!(serde_json::from_str::<AppSelection>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_same_id_at_two_networks_is_two_apps() {
        let chosen = read(r#"{"dtexchange":["204101"],"mintegral":[]}"#);
        assert!(chosen.has(Network::DtExchange, "204101") && !chosen.has(Network::Mintegral, "204101"));
        assert!(chosen.has(Network::Unity, "204101"), "of a network nobody spoke of everything is selected");
        assert!(!read(r#"["ca-app-pub-1~2"]"#).has(Network::Unity, "u1"));
    }

    #[test]
    fn of_two_selections_only_what_both_have_is_left() {
        let cases = [
            (r#"["a","b"]"#, r#"["b","c"]"#, r#"["b"]"#),
            (r#"{"admob":["a","b"]}"#, r#"{"admob":["b"],"unity":["u"]}"#, r#"{"admob":["b"],"unity":["u"]}"#),
            (r#"{"admob":[]}"#, "{}", r#"{"admob":[]}"#),
        ];
        for (wanted, other, left) in cases {
            assert_eq!(read(wanted).within(&read(other)), read(left), "{wanted} {other}");
        }
        let mixed = read(r#"["a","u"]"#).within(&read(r#"{"admob":["a"]}"#));
        assert_eq!(mixed.of(Network::AdMob), Some(&["a".to_owned()][..]));
        assert_eq!(mixed.of(Network::Unity), Some(&["a".to_owned(), "u".to_owned()][..]));
    }
}
