//! Router, entity loader and tool retriever: what the question needs, and whether it can be had.

use adagent_contract::{ActionKind, EventBody};
use adagent_domain::Network;

use crate::{
    CallState, Draft, Fault, FaultKind, Once, Route, StepError, Unusable, UnusableWhy, When, machine::Machine,
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
        let nothing_usable =
            !route.services.is_empty() && route.services.iter().all(|n| unusable.iter().any(|u| u.network == *n));
        self.state.route = Some(route);
        for missing in unusable {
            self.ask_to_act(missing.network, missing.why);
        }
        if !nothing_usable {
            let task = self.state.route.as_ref().map(|route| route.capability.clone());
            self.emit(EventBody::Agent { agent: "specialist".into(), task });
            return self.go(When::Servable);
        }
        let text = unusable.iter().map(|u| sentence(u.network, u.why)).collect::<Vec<_>>().join(" ");
        self.state.draft = Some(Draft { text, ..Draft::default() });
        self.go(When::NothingUsable)?;
        self.synthesize()
    }

    /// Shows the card that leads to the settings, once per network.
    pub(crate) fn ask_to_act(&mut self, network: Network, why: UnusableWhy) {
        let action = match why {
            UnusableWhy::Disabled => ActionKind::EnableNetwork,
            UnusableWhy::NotConnected | UnusableWhy::AuthFailed => ActionKind::ConnectNetwork,
            UnusableWhy::ComingSoon | UnusableWhy::ChatOnly => return,
        };
        if self.state.actions.contains(&network) {
            return;
        }
        self.state.actions.push(network);
        let deep_link = format!("/settings/networks?connect={}&return=/chat/{}", network.id(), self.state.session);
        self.emit(EventBody::ActionRequired {
            action,
            network,
            message: sentence(network, why),
            deep_link: Some(deep_link),
        });
    }

    /// Ends the run with what a person can do about a network that is gone; the card that leads there was shown.
    pub(crate) fn say_lost(
        &mut self,
        network: Network,
        why: UnusableWhy,
        change: Option<&str>,
    ) -> Result<(), StepError> {
        let said = [sentence(network, why), change.unwrap_or_default().to_owned()].join(" ");
        self.state.draft = Some(Draft { text: said.trim_end().to_owned(), ..Draft::default() });
        self.go(When::Stopped)?;
        self.synthesize()
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

fn sentence(network: Network, why: UnusableWhy) -> String {
    let name = network.display_name();
    match why {
        UnusableWhy::NotConnected => {
            format!("{name} is not connected yet. Connect it, and I go on with your question.")
        }
        UnusableWhy::Disabled => {
            format!(
                "{name} is connected but switched off in your context. Switch it on, and I go on with your question."
            )
        }
        UnusableWhy::AuthFailed => {
            format!("{name} no longer accepts the sign-in; connect it again, then ask once more.")
        }
        UnusableWhy::ChatOnly => format!(
            "This conversation is chat only, so I neither read nor change anything at {name}. Switch chat only off for it, \
             or ask in another conversation."
        ),
        UnusableWhy::ComingSoon => format!("{name} can not be connected yet; it is coming soon."),
    }
}
