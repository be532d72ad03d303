//! Tool executor: once every call of a round is settled, applies the stop policy and then goes back to the model.

use adagent_domain::Network;

use super::Advance;
use crate::{CallState, Failures, Fault, StepError, Stop, UnusableWhy, When};

impl Advance<'_, '_> {
    /// Continues once every call of the round is settled: applies the stop policy, then returns to the model with the results.
    pub(crate) fn settle(&mut self) -> Result<(), StepError> {
        if !self.turn.ledger.is_settled(self.step) {
            return Ok(());
        }
        self.go(When::CallsSettled)?;
        if let Some((network, why, change)) = self.lost_network() {
            return self.say_lost(network, why, change);
        }
        if self.is_given() {
            return self.tell_given();
        }
        let (mut retryable, mut deterministic) = (None, None);
        for fault in self.last_faults() {
            if fault.kind.is_retryable() {
                retryable = Some(fault.message.clone());
            } else {
                deterministic = Some(fault.message.clone());
            }
        }
        let failures = &mut self.turn.failures;
        if retryable.is_none() && deterministic.is_none() {
            *failures = Failures::default();
        }
        failures.retryable += u32::from(retryable.is_some());
        failures.deterministic += u32::from(deterministic.is_some());
        let (failures, limits) = (*failures, self.turn.ledger.limits);
        if let Some(last) = deterministic
            && failures.deterministic >= limits.deterministic
        {
            return self.stop(&Stop::Deterministic { times: failures.deterministic, last });
        }
        if let Some(last) = retryable
            && failures.retryable >= limits.retryable
        {
            return self.stop(&Stop::Retryable { times: failures.retryable, last });
        }
        if failures != Failures::default()
            && let Some(route) = &mut self.turn.route
        {
            // A call failed with the current model tier, so the strong tier gets the next try.
            route.tier = adagent_contract::ModelTier::Strong;
        }
        self.enter_specialist(When::ResultsToTell)
    }

    /// Returns a network that the run can no longer use, if a write of the last round met it, or if nothing in that round worked. A model
    /// cannot help then, but a person can. If the call was a change, also says what happened to it.
    fn lost_network(&self) -> Option<(Network, UnusableWhy, Option<&'static str>)> {
        let calls: Vec<_> = self.turn.last_calls().iter().filter_map(|id| self.turn.call(*id)).collect();
        let worked = calls.iter().any(|call| call.state == CallState::Succeeded);
        calls.iter().find_map(|call| {
            let (kind, change) = match &call.state {
                CallState::Failed { fault } => (fault.kind, "The change was not made."),
                CallState::Unknown { met, .. } => {
                    ((*met)?, "We don't know whether the change went through. Check the network.")
                }
                _ => return None,
            };
            let why = UnusableWhy::of(kind).filter(|_| !call.read_only || !worked)?;
            Some((call.source.network()?, why, (!call.read_only).then_some(change)))
        })
    }

    fn last_faults(&self) -> Vec<&Fault> {
        self.turn
            .last_calls()
            .iter()
            .filter_map(|id| match &self.turn.call(*id)?.state {
                CallState::Failed { fault } => Some(fault),
                _ => None,
            })
            .collect()
    }
}
