//! Router, entity loader and tool retriever: what the question needs, and whether it can be had.

use adagent_contract::{ActionKind, EventBody};
use adagent_domain::Network;

use crate::{
    CallState, Draft, Fault, FaultKind, Once, Route, StepError, Unusable, UnusableWhy, When, given, machine::Machine,
};

impl Machine<'_> {
    pub(crate) fn routed(
        &mut self,
        route: Route,
        thinking: Option<String>,
        unusable: &[Unusable],
    ) -> Result<(), StepError> {
        let services = route.services.iter().map(|n| n.id()).collect::<Vec<_>>().join(",");
        self.emit(EventBody::Routing {
            service: if services.is_empty() { "none".into() } else { services },
            capability: route.capability.clone(),
            path: route.path,
            confidence: route.confidence,
            decided_by: route.decided_by,
            model_tier: route.tier,
            thinking,
        });
        let nothing_usable = unusable.iter().any(|u| u.network.is_none())
            || !route.services.is_empty()
                && route.services.iter().all(|n| unusable.iter().any(|u| u.network == Some(*n)));
        self.state.route = Some(route);
        for missing in unusable {
            match missing.network {
                Some(network) => self.ask_to_act(network, missing.why),
                None => self.ask_to_connect_any(),
            }
        }
        if !nothing_usable {
            let task = self.state.route.as_ref().map(|route| route.capability.clone());
            self.emit(EventBody::Agent { agent: "specialist".into(), task });
            return self.go(When::Servable);
        }
        let said = unusable
            .iter()
            .map(|u| u.network.map_or_else(|| CONNECT_ANY.to_owned(), |network| sentence(network, u.why)));
        let text = self.made().into_iter().chain(said).collect::<Vec<_>>().join(" ");
        self.state.draft = Some(Draft { text, ..Draft::default() });
        self.go(When::NothingUsable)?;
        self.synthesize()
    }

    /// Shows the card that leads to the settings, once per network.
    pub(crate) fn ask_to_act(&mut self, network: Network, why: UnusableWhy) {
        let action = match why {
            UnusableWhy::Disabled => ActionKind::EnableNetwork,
            UnusableWhy::NotConnected | UnusableWhy::AuthFailed => ActionKind::ConnectNetwork,
            UnusableWhy::ChatOnly => return,
        };
        if self.state.actions.contains(&network) {
            return;
        }
        self.state.actions.push(network);
        // What is switched off is switched on there; new keys would change nothing.
        let asks = if action == ActionKind::EnableNetwork { "enable" } else { "connect" };
        let deep_link = format!("/settings/networks?{asks}={}&return=/chat/{}", network.id(), self.state.session);
        self.emit(EventBody::ActionRequired {
            action,
            network: Some(network),
            message: sentence(network, why),
            deep_link: Some(deep_link),
        });
    }

    /// Nothing is connected, and any network would do.
    fn ask_to_connect_any(&mut self) {
        self.emit(EventBody::ActionRequired {
            action: ActionKind::ConnectNetwork,
            network: None,
            message: CONNECT_ANY.to_owned(),
            deep_link: Some(format!("/settings/networks?return=/chat/{}", self.state.session)),
        });
    }

    /// Ends the run with what a person can do about a network that is gone; the card that leads there was shown.
    pub(crate) fn say_lost(
        &mut self,
        network: Network,
        why: UnusableWhy,
        change: Option<&str>,
    ) -> Result<(), StepError> {
        let mut said = self.made();
        said.push(sentence(network, why));
        said.extend(change.map(str::to_owned));
        self.state.draft = Some(Draft { text: said.join(" "), ..Draft::default() });
        self.go(When::Stopped)?;
        self.synthesize()
    }

    /// The changes of this run that went through: whatever else is to be told, nobody may take them for not made.
    fn made(&self) -> Vec<String> {
        let made = self.state.calls.iter().filter(|call| !call.read_only && call.state == CallState::Succeeded);
        made.map(|call| format!("The change was made: {}", given::sentence(call.summary.as_deref().unwrap_or("done"))))
            .collect()
    }

    pub(crate) fn entities_loaded(&mut self, problems: Vec<(Network, Fault)>) -> Result<(), StepError> {
        if self.state.backflow.entity_refresh == Once::Needed {
            self.state.backflow.entity_refresh = Once::Done;
        }
        for (network, fault) in problems {
            match fault.kind {
                FaultKind::AuthFailed => self.ask_to_act(network, UnusableWhy::AuthFailed),
                FaultKind::NotConnected => self.ask_to_act(network, UnusableWhy::NotConnected),
                FaultKind::Disabled => self.ask_to_act(network, UnusableWhy::Disabled),
                _ => self.emit(EventBody::Thinking {
                    content: format!(
                        "I could not load the apps and ad units of {}: {}",
                        network.display_name(),
                        fault.message
                    ),
                }),
            }
        }
        if self.state.calls.iter().any(|call| call.state == CallState::Proposed) {
            self.go(When::CallsWaiting)
        } else {
            self.go(When::EntitiesKnown)
        }
    }
}

const CONNECT_ANY: &str = "No network is connected yet. Connect one and I'll pick up from here.";

fn sentence(network: Network, why: UnusableWhy) -> String {
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
    }
}
