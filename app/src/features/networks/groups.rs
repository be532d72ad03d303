//! The networks by how they stand: what needs a person first. Plain rules, without a page.

use adagent_contract::{NetworkState, ProviderView};
use adagent_domain::Network;

/// A part of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Does not work until a person did something.
    Attention,
    Connected,
    Disabled,
    NotConnected,
    ComingSoon,
}

impl Group {
    pub const ALL: [Self; 5] = [Self::Attention, Self::Connected, Self::Disabled, Self::NotConnected, Self::ComingSoon];

    pub const fn of(state: NetworkState) -> Self {
        match state {
            NetworkState::AuthFailed | NetworkState::ChooseAccount => Self::Attention,
            NetworkState::Connected => Self::Connected,
            NetworkState::Disabled => Self::Disabled,
            NetworkState::NotConnected => Self::NotConnected,
            NetworkState::ComingSoon => Self::ComingSoon,
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::Attention => "Needs you",
            Self::Connected => "Connected",
            Self::Disabled => "Disabled",
            Self::NotConnected => "Not connected",
            Self::ComingSoon => "Coming soon",
        }
    }

    /// For `id`s.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Attention => "group-attention",
            Self::Connected => "group-connected",
            Self::Disabled => "group-disabled",
            Self::NotConnected => "group-not-connected",
            Self::ComingSoon => "group-soon",
        }
    }
}

/// The networks of a group, in the order they come in.
pub fn of(items: &[ProviderView], group: Group) -> Vec<Network> {
    items.iter().filter(|item| Group::of(item.state) == group).map(|item| item.network).collect()
}
