//! What is forgotten by itself: old turns, and saved states that only serve time travel. In steps, so that nobody waits for it.

use crate::{Service, ServiceResult};

const DAY_MS: i64 = 24 * 3_600_000;
/// Runs of one transaction.
const STEP: u32 = 100;
/// Transactions of one sweep; what is left waits for the next.
const STEPS: u32 = 50;

/// How long things are kept, in days; 0 keeps them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Turns with their runs, counted from their end.
    pub runs_days: u32,
    /// Saved states of a run but the last one, counted from its end.
    pub checkpoints_days: u32,
}

/// What one sweep let go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub turns: u64,
    pub thinned_runs: u64,
}

impl Service {
    /// Applies the policy to what is over. Runs that wait or work, and conversations that are kept, are never touched.
    pub async fn forget_old(&self, policy: &RetentionPolicy) -> ServiceResult<Forgotten> {
        let mut forgotten = Forgotten::default();
        let before = |days: u32| self.clock.now().plus_millis(-i64::from(days) * DAY_MS);
        if policy.runs_days > 0 {
            for _ in 0..STEPS {
                let mut work = self.store.begin().await?;
                let turns = work.delete_turns(before(policy.runs_days), STEP).await?;
                work.commit().await?;
                forgotten.turns += turns;
                if turns < u64::from(STEP) {
                    break;
                }
            }
        }
        if policy.checkpoints_days > 0 {
            for _ in 0..STEPS {
                let mut work = self.store.begin().await?;
                let runs = work.thin_checkpoints(before(policy.checkpoints_days), STEP).await?;
                work.commit().await?;
                forgotten.thinned_runs += runs;
                if runs < u64::from(STEP) {
                    break;
                }
            }
        }
        Ok(forgotten)
    }
}
