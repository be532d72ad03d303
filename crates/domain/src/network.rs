//! The nine ad networks, by the ids the contract uses.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// No network has this id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown network {0:?}; known are admob, admanager, applovin, unity, mintegral, liftoff, inmobi, pangle, dtexchange"
)]
pub struct UnknownNetwork(String);

/// An ad network the desk can talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Network {
    AdMob,
    AdManager,
    AppLovin,
    Unity,
    Mintegral,
    Liftoff,
    InMobi,
    Pangle,
    DtExchange,
}

impl Network {
    pub const ALL: [Self; 9] = [
        Self::AdMob,
        Self::AdManager,
        Self::AppLovin,
        Self::Unity,
        Self::Mintegral,
        Self::Liftoff,
        Self::InMobi,
        Self::Pangle,
        Self::DtExchange,
    ];

    pub const fn id(self) -> &'static str {
        match self {
            Self::AdMob => "admob",
            Self::AdManager => "admanager",
            Self::AppLovin => "applovin",
            Self::Unity => "unity",
            Self::Mintegral => "mintegral",
            Self::Liftoff => "liftoff",
            Self::InMobi => "inmobi",
            Self::Pangle => "pangle",
            Self::DtExchange => "dtexchange",
        }
    }

    pub const fn display_name(self) -> &'static str {
        match self {
            Self::AdMob => "AdMob",
            Self::AdManager => "Google Ad Manager",
            Self::AppLovin => "AppLovin",
            Self::Unity => "Unity",
            Self::Mintegral => "Mintegral",
            Self::Liftoff => "Liftoff",
            Self::InMobi => "InMobi",
            Self::Pangle => "Pangle",
            Self::DtExchange => "DT Exchange",
        }
    }

    /// Whether it is connected by OAuth (otherwise by API keys).
    pub const fn uses_oauth(self) -> bool {
        matches!(self, Self::AdMob | Self::AdManager)
    }

    /// Whether this build can talk to it.
    #[expect(clippy::unused_self, reason = "a build that leaves a network out answers for each")]
    pub const fn is_available(self) -> bool {
        true
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
        // `gam` is accepted everywhere as another name of Ad Manager.
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
