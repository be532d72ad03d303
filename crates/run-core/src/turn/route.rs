//! Router, entity loader and tool retriever: what the question needs, and whether it is available.

use adagent_contract::EventBody;
use adagent_domain::Network;

use super::{Advance, call_answer};
use crate::{
    CallState, Draft, Fault, FaultKind, Once, Route, StepError, Unusable, UnusableWhy, When,
    ledger::{CONNECT_ANY, what_to_do},
};

impl Advance<'_, '_> {
    pub(crate) fn routed(
        &mut self,
        route: Route,
        thinking: Option<String>,
        unusable: &[Unusable],
    ) -> Result<(), StepError> {
        let services = route.services.iter().map(|n| n.id()).collect::<Vec<_>>().join(",");
        self.step.emit(EventBody::Routing {
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
        self.turn.route = Some(route);
        for missing in unusable {
            match missing.network {
                Some(network) => self.turn.ledger.ask_to_act(self.step, network, missing.why),
                None => self.turn.ledger.ask_to_connect_any(self.step),
            }
        }
        if !nothing_usable {
            let task = self.turn.route.as_ref().map(|route| route.capability.clone());
            self.step.emit(EventBody::Agent { agent: "specialist".into(), task });
            return self.go(When::Servable);
        }
        let said = unusable
            .iter()
            .map(|u| u.network.map_or_else(|| CONNECT_ANY.to_owned(), |network| what_to_do(network, u.why)));
        let text = self.made().into_iter().chain(said).collect::<Vec<_>>().join(" ");
        self.turn.draft = Some(Draft { text, ..Draft::default() });
        self.go(When::NothingUsable)?;
        self.synthesize()
    }

    /// Ends the run and says what a person can do about a network that became unusable. The card that links to the settings is already
    /// shown.
    pub(crate) fn say_lost(
        &mut self,
        network: Network,
        why: UnusableWhy,
        change: Option<&str>,
    ) -> Result<(), StepError> {
        let mut said = self.made();
        said.push(what_to_do(network, why));
        said.extend(change.map(str::to_owned));
        self.turn.draft = Some(Draft { text: said.join(" "), ..Draft::default() });
        self.go(When::Stopped)?;
        self.synthesize()
    }

    /// Returns the changes that this run made. The answer names them in any case, so that no reader thinks they were not made.
    fn made(&self) -> Vec<String> {
        let made = self.turn.ledger.calls.iter().filter(|call| !call.read_only && call.state == CallState::Succeeded);
        made.map(|call| {
            format!("The change was made: {}", call_answer::sentence(call.summary.as_deref().unwrap_or("done")))
        })
        .collect()
    }

    pub(crate) fn entities_loaded(&mut self, problems: Vec<(Network, Fault)>) -> Result<(), StepError> {
        if self.turn.backflow.entity_refresh == Once::Needed {
            self.turn.backflow.entity_refresh = Once::Done;
        }
        for (network, fault) in problems {
            match fault.kind {
                FaultKind::AuthFailed => self.turn.ledger.ask_to_act(self.step, network, UnusableWhy::AuthFailed),
                FaultKind::NotConnected => self.turn.ledger.ask_to_act(self.step, network, UnusableWhy::NotConnected),
                FaultKind::Disabled => self.turn.ledger.ask_to_act(self.step, network, UnusableWhy::Disabled),
                _ => self.step.emit(EventBody::Thinking {
                    content: format!(
                        "I could not load the apps and ad units of {}: {}",
                        network.display_name(),
                        fault.message
                    ),
                }),
            }
        }
        if self.turn.ledger.calls.iter().any(|call| call.state == CallState::Proposed) {
            self.go(When::CallsWaiting)
        } else {
            self.go(When::EntitiesKnown)
        }
    }
}
