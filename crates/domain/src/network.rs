//! The ad networks, with the IDs of the contract.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The error for an ID that no network has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown network {0:?}; known are {known}", known = Network::ALL.map(Network::id).join(", "))]
pub struct UnknownNetwork(String);

macro_rules! networks {
    ($($network:ident $id:literal $name:literal;)+) => {
        /// An ad network that we support.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Network {
            $($network,)+
        }

        impl Network {
            pub const ALL: [Self; [$($id),+].len()] = [$(Self::$network),+];

            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$network => $id,)+
                }
            }

            pub const fn display_name(self) -> &'static str {
                match self {
                    $(Self::$network => $name,)+
                }
            }
        }
    };
}

// This list holds only names. `adagent-networks` registers everything else about a network.
networks! {
    AdMob "admob" "AdMob";
    AdManager "admanager" "Google Ad Manager";
    AppLovin "applovin" "AppLovin";
    Unity "unity" "Unity";
    Mintegral "mintegral" "Mintegral";
    Liftoff "liftoff" "Liftoff";
    InMobi "inmobi" "InMobi";
    Pangle "pangle" "Pangle";
    DtExchange "dtexchange" "DT Exchange";
}

impl Network {
    /// Checks whether people connect the network by OAuth (otherwise by API keys).
    pub const fn uses_oauth(self) -> bool {
        matches!(self, Self::AdMob | Self::AdManager)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Network {
    type Err = UnknownNetwork;

    fn from_str(text: &str) -> Result<Self, UnknownNetwork> {
        // We accept `gam` everywhere as another name of Ad Manager.
        if text == "gam" {
            return Ok(Self::AdManager);
        }
        Self::ALL.into_iter().find(|n| n.id() == text).ok_or_else(|| UnknownNetwork(text.chars().take(40).collect()))
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_parses_and_gam_is_ad_manager() {
        for network in Network::ALL {
            assert_eq!(network.id().parse::<Network>(), Ok(network));
        }
        assert_eq!("gam".parse::<Network>(), Ok(Network::AdManager));
        assert!("facebook".parse::<Network>().is_err());
    }
}
