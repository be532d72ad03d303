//! What a person must do before we can use a network: connect it, enable it, or sign in again.

use adagent_contract::{ActionKind, EventBody};
use adagent_domain::Network;

use crate::{FaultKind, Ledger, Step};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnusableWhy {
    NotConnected,
    Disabled,
    AuthFailed,
    /// The chat is only for talk, so it reads no network.
    ChatOnly,
    /// The agent that answers has no grant to read it.
    NotGranted,
}

impl UnusableWhy {
    /// Returns why a network cannot be used. `None` for faults that say something else.
    pub const fn of(kind: FaultKind) -> Option<Self> {
        match kind {
            FaultKind::NotConnected => Some(Self::NotConnected),
            FaultKind::Disabled => Some(Self::Disabled),
            FaultKind::AuthFailed => Some(Self::AuthFailed),
            _ => None,
        }
    }
}

/// A network that the question needs and that the run cannot use now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unusable {
    /// `None` if any network would do and none is connected.
    pub network: Option<Network>,
    pub why: UnusableWhy,
}

impl Ledger {
    /// Shows the card that links to the settings, once per network.
    pub fn ask_to_act(&mut self, step: &mut Step<'_>, network: Network, why: UnusableWhy) {
        let action = match why {
            UnusableWhy::Disabled => ActionKind::EnableNetwork,
            UnusableWhy::NotConnected | UnusableWhy::AuthFailed => ActionKind::ConnectNetwork,
            UnusableWhy::ChatOnly | UnusableWhy::NotGranted => return,
        };
        if self.actions.contains(&network) {
            return;
        }
        self.actions.push(network);
        // A network that is turned off is turned on there. New keys would not help.
        let asks = if action == ActionKind::EnableNetwork { "enable" } else { "connect" };
        let deep_link = format!("/settings/networks?{asks}={}&return={}", network.id(), self.page);
        step.emit(EventBody::ActionRequired {
            action,
            network: Some(network),
            message: what_to_do(network, why),
            deep_link: Some(deep_link),
        });
    }

    /// Asks a person to connect a network, if none is connected and any would do.
    pub(crate) fn ask_to_connect_any(&self, step: &mut Step<'_>) {
        step.emit(EventBody::ActionRequired {
            action: ActionKind::ConnectNetwork,
            network: None,
            message: CONNECT_ANY.to_owned(),
            deep_link: Some(format!("/settings/networks?return={}", self.page)),
        });
    }
}

pub(crate) const CONNECT_ANY: &str = "No network is connected yet. Connect one and I'll pick up from here.";

pub(crate) fn what_to_do(network: Network, why: UnusableWhy) -> String {
    let name = network.display_name();
    match why {
        UnusableWhy::NotConnected => {
            format!("Connect {name} and I'll pick up from here.")
        }
        UnusableWhy::Disabled => {
            format!("{name} is turned off. Turn it on and I'll pick up from here.")
        }
        UnusableWhy::AuthFailed => {
            format!("{name} no longer accepts the sign-in. Reconnect it and I'll pick up from here.")
        }
        UnusableWhy::ChatOnly => format!(
            "This conversation is chat only, so I neither read nor change anything at {name}. Switch chat only off for it, \
             or ask in another conversation."
        ),
        UnusableWhy::NotGranted => {
            format!("This agent isn't allowed to read {name}. Open Agents to turn on Read for {name}, or ask @desk.")
        }
    }
}
