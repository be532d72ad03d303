//! What is forgotten by itself: old turns, and saved states that only serve time travel. In steps, so that nobody waits for it.

use std::time::Duration;

use adagent_domain::Timestamp;
use adagent_store::{Store, StoreResult};
use tokio_util::sync::CancellationToken;

use crate::{Service, ServiceResult};

const DAY_MS: i64 = 24 * 3_600_000;
/// Runs of one transaction: where one writes at a time, all others wait for it.
const STEP: u32 = 10;
/// Transactions of one sweep; what is left waits for the next.
const STEPS: u32 = 500;
/// Before each transaction, for those who want to write meanwhile.
const PAUSE: Duration = Duration::from_millis(20);

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
    /// Applies the policy to what is over, until `stop`. Runs that wait or work, and conversations that are kept, are never touched.
    pub async fn forget_old(&self, policy: &RetentionPolicy, stop: &CancellationToken) -> ServiceResult<Forgotten> {
        Ok(forget(&*self.store, policy, self.clock.now(), stop).await?)
    }
}

async fn forget(
    store: &dyn Store,
    policy: &RetentionPolicy,
    now: Timestamp,
    stop: &CancellationToken,
) -> StoreResult<Forgotten> {
    let before = |days: u32| now.plus_millis(-i64::from(days) * DAY_MS);
    let mut forgotten = Forgotten::default();
    if policy.runs_days > 0 {
        let mut after = None;
        for _ in 0..STEPS {
            if is_over(stop).await {
                break;
            }
            let mut work = store.begin().await?;
            let swept = work.delete_turns(before(policy.runs_days), after, STEP).await?;
            work.commit().await?;
            forgotten.turns += swept.done;
            after = swept.next;
            if after.is_none() {
                break;
            }
        }
    }
    if policy.checkpoints_days > 0 {
        let mut after = None;
        for _ in 0..STEPS {
            if is_over(stop).await {
                break;
            }
            let mut work = store.begin().await?;
            let swept = work.thin_checkpoints(before(policy.checkpoints_days), after, STEP).await?;
            work.commit().await?;
            forgotten.thinned_runs += swept.done;
            after = swept.next;
            if after.is_none() {
                break;
            }
        }
    }
    Ok(forgotten)
}

/// Pauses; says whether the server stops meanwhile.
async fn is_over(stop: &CancellationToken) -> bool {
    tokio::time::timeout(PAUSE, stop.cancelled()).await.is_ok()
}

#[cfg(test)]
mod tests {
    use adagent_contract::RunStatus;
    use adagent_store::RunUpdate;
    use adagent_testkit::fixtures::{Must as _, World};

    use super::*;

    async fn ended_long_ago(world: &World) {
        let (_, _, lease) = world.held_run().await;
        let mut work = world.begin().await;
        for step in 1..=2 {
            work.insert_checkpoint(&lease, &world.checkpoint(lease.run, step)).await.must();
        }
        let update = RunUpdate {
            status: Some(RunStatus::Completed),
            finished_at: Some(world.now()),
            release: true,
            ..RunUpdate::default()
        };
        work.update_run(&lease, &update).await.must();
        work.commit().await.must();
        world.clock.advance_millis(3 * DAY_MS);
    }

    #[tokio::test]
    async fn a_server_that_stops_forgets_no_more_and_the_next_one_goes_on() {
        let store = adagent_testkit::sqlite_store().await;
        let world = World::new(store.store());
        ended_long_ago(&world).await;
        let policy = RetentionPolicy { runs_days: 0, checkpoints_days: 1 };
        let stopping = CancellationToken::new();
        stopping.cancel();
        let swept =
            async |policy, stop: &CancellationToken| forget(&*world.store, &policy, world.now(), stop).await.must();
        assert_eq!(swept(policy, &stopping).await, Forgotten::default());
        let goes_on = CancellationToken::new();
        assert_eq!(swept(policy, &goes_on).await, Forgotten { turns: 0, thinned_runs: 1 });
        let policy = RetentionPolicy { runs_days: 1, checkpoints_days: 1 };
        assert_eq!(swept(policy, &stopping).await, Forgotten::default());
        assert_eq!(swept(policy, &goes_on).await, Forgotten { turns: 1, thinned_runs: 0 });
    }
}
