//! Groups the networks by their state; those that need a person come first. Plain rules without a page.

use adagent_contract::{NetworkState, ProviderView};
use adagent_domain::{ConnectionId, Network};

/// A group of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Does not work until a person fixes something.
    Attention,
    Connected,
    Disabled,
    NotConnected,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Attention, Self::Connected, Self::Disabled, Self::NotConnected];

    pub const fn of(state: NetworkState) -> Self {
        match state {
            NetworkState::AuthFailed | NetworkState::ChooseAccount => Self::Attention,
            NetworkState::Connected => Self::Connected,
            NetworkState::Disabled => Self::Disabled,
            NetworkState::NotConnected | NetworkState::ComingSoon => Self::NotConnected,
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            Self::Attention => "Needs you",
            Self::Connected => "Connected",
            Self::Disabled => "Disabled",
            Self::NotConnected => "Not connected",
        }
    }

    /// Returns the name for element IDs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Attention => "group-attention",
            Self::Connected => "group-connected",
            Self::Disabled => "group-disabled",
            Self::NotConnected => "group-not-connected",
        }
    }
}

/// A row of the page: a connection, or a network without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    pub network: Network,
    pub connection: Option<ConnectionId>,
    /// Whether this is the network's first connection. Addresses that name only the network open this one.
    pub first: bool,
}

impl Place {
    /// Returns the network or connection in this row.
    pub fn of(self, item: &ProviderView) -> Option<ProviderView> {
        if item.network != self.network {
            return None;
        }
        match self.connection {
            None => Some(item.clone()),
            Some(id) => item.connections.iter().find(|one| one.id == Some(id)).cloned(),
        }
    }

    /// Returns the name for element IDs.
    pub fn anchor(self) -> String {
        match self.connection.filter(|_| !self.first) {
            Some(id) => format!("{}-{id}", self.network.id()),
            None => self.network.id().to_owned(),
        }
    }
}

/// Returns the rows of a group, in order.
pub fn of(items: &[ProviderView], group: Group) -> Vec<Place> {
    let mut places = Vec::new();
    for item in items {
        if item.connections.is_empty() && Group::of(item.state) == group {
            places.push(Place { network: item.network, connection: None, first: true });
        }
        for (index, one) in item.connections.iter().enumerate().filter(|(_, one)| Group::of(one.state) == group) {
            places.push(Place { network: item.network, connection: one.id, first: index == 0 });
        }
    }
    places
}
