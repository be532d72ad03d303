//! Tool executor: when every call of a round is settled, the stop policy, then back to the model.

use adagent_domain::Network;

use super::Advance;
use crate::{CallState, Failures, Fault, StepError, Stop, UnusableWhy, When};

impl Advance<'_, '_> {
    /// When every call of the turn is settled: the stop policy, then back to the model with the results.
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
            // The fast tier was unsure; the strong one gets the next try.
            route.tier = adagent_contract::ModelTier::Strong;
        }
        self.enter_specialist(When::ResultsToTell)
    }

    /// A network that cannot be used any more, when a write of the last turn met that, or nothing else came of the turn. No
    /// model can help then; a person can. The last says what became of the change, where there was one.
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
