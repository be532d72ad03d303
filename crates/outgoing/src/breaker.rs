//! The circuit breaker: after repeated failures it stops calls for a while, then tries one call.
//!
//! This module is pure: the time is an argument, and nothing here waits or sends.

use adagent_domain::Timestamp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerPolicy {
    /// How many calls in a row must fail (each after its own retries) to open the circuit.
    pub failures: u32,
    pub open_millis: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Closed {
        failures: u32,
    },
    Open {
        until: Timestamp,
    },
    /// One trial has been running since this time; other calls wait for its outcome.
    Trial {
        since: Timestamp,
    },
}

/// The state that administrators and the networks page see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Circuit {
    /// Calls are sent.
    Closed,
    /// One call tests whether it works again.
    HalfOpen,
    /// No call is sent until this time.
    Open { until: Timestamp },
}

#[derive(Debug)]
pub struct Breaker {
    policy: BreakerPolicy,
    state: State,
}

impl Breaker {
    pub const fn new(policy: BreakerPolicy) -> Self {
        Self { policy, state: State::Closed { failures: 0 } }
    }

    pub const fn circuit(&self) -> Circuit {
        match self.state {
            State::Closed { .. } => Circuit::Closed,
            State::Trial { .. } => Circuit::HalfOpen,
            State::Open { until } => Circuit::Open { until },
        }
    }

    /// Returns the state as a number for metrics: 0 closed, 1 on trial, 2 open.
    pub const fn level(&self) -> u8 {
        match self.state {
            State::Closed { .. } => 0,
            State::Trial { .. } => 1,
            State::Open { .. } => 2,
        }
    }

    /// Checks whether a call may be sent. If not, returns in how many milliseconds to ask again.
    pub fn admit(&mut self, now: Timestamp) -> Result<(), i64> {
        match self.state {
            State::Closed { .. } => Ok(()),
            State::Open { until } if now < until => Err(until.millis_since(now).max(1)),
            State::Open { .. } => {
                self.state = State::Trial { since: now };
                Ok(())
            }
            // If the outcome of a trial never arrives (its caller went away), the circuit must not block calls forever.
            State::Trial { since } if now.millis_since(since) >= self.policy.open_millis => {
                self.state = State::Trial { since: now };
                Ok(())
            }
            State::Trial { since } => Err((self.policy.open_millis - now.millis_since(since)).max(1)),
        }
    }

    pub fn succeeded(&mut self) {
        self.state = State::Closed { failures: 0 };
    }

    /// Records that an admitted call was never sent, so that the next one may be the trial.
    pub fn unused(&mut self, now: Timestamp) {
        if let State::Trial { .. } = self.state {
            self.state = State::Open { until: now };
        }
    }

    pub fn failed(&mut self, now: Timestamp) {
        let open = State::Open { until: now.plus_millis(self.policy.open_millis) };
        self.state = match self.state {
            State::Closed { failures } if failures + 1 < self.policy.failures => {
                State::Closed { failures: failures + 1 }
            }
            State::Closed { .. } | State::Trial { .. } => open,
            // This call was admitted before the circuit opened, so the wait does not start again.
            State::Open { until } => State::Open { until },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T0: Timestamp = Timestamp::EPOCH;

    fn breaker() -> Breaker {
        Breaker::new(BreakerPolicy { failures: 3, open_millis: 1000 })
    }

    #[test]
    fn it_opens_after_consecutive_failures_only() {
        let mut b = breaker();
        b.failed(T0);
        b.failed(T0);
        b.succeeded();
        b.failed(T0);
        b.failed(T0);
        assert_eq!(b.admit(T0), Ok(()));
        b.failed(T0);
        assert_eq!((b.admit(T0.plus_millis(400)), b.level()), (Err(600), 2));
        assert_eq!(b.circuit(), Circuit::Open { until: T0.plus_millis(1000) });
    }

    #[test]
    fn after_the_wait_one_trial_decides() {
        let mut b = breaker();
        (0..3).for_each(|_| b.failed(T0));
        let later = T0.plus_millis(1000);
        assert_eq!(b.admit(later), Ok(()));
        assert!(b.admit(later).is_err(), "only one trial at a time");
        assert_eq!(b.circuit(), Circuit::HalfOpen);
        b.failed(later);
        assert_eq!(b.admit(later.plus_millis(1)), Err(999));
        assert_eq!(b.admit(later.plus_millis(1000)), Ok(()));
        b.succeeded();
        assert_eq!(b.admit(later.plus_millis(1001)), Ok(()));
    }

    #[test]
    fn a_trial_that_was_never_sent_is_given_back() {
        let mut b = breaker();
        (0..3).for_each(|_| b.failed(T0));
        let later = T0.plus_millis(1000);
        assert_eq!(b.admit(later), Ok(()));
        b.unused(later);
        assert_eq!((b.admit(later), b.circuit()), (Ok(()), Circuit::HalfOpen));
        let mut closed = breaker();
        closed.unused(T0);
        assert_eq!(closed.circuit(), Circuit::Closed);
    }

    #[test]
    fn a_lost_trial_does_not_block_for_ever() {
        let mut b = breaker();
        (0..3).for_each(|_| b.failed(T0));
        assert_eq!(b.admit(T0.plus_millis(1000)), Ok(()));
        assert_eq!(b.admit(T0.plus_millis(2000)), Ok(()));
    }
}
