//! The real clocks and IDs: the only place that may ask the machine for either.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use adagent_domain::{Clock, Ids, Timestamp};
use adagent_store::{Store, StoreResult};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else is handed")]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(micros(since))
    }
}

const READ_EVERY: Duration = Duration::from_secs(30);
/// A reading that took longer than this is too imprecise to use.
const PROMPT: Duration = Duration::from_millis(250);

/// The clock of a database that several servers share, so that a lease means the same to all of them, however wrong their own
/// clocks are. Between readings, it follows the machine's monotonic clock, which nobody can set.
#[derive(Debug)]
pub struct SharedClock {
    origin: Instant,
    /// Microseconds to add to the time since the origin.
    offset: AtomicI64,
}

impl SharedClock {
    fn new(database: Timestamp, asked: Instant, answered: Instant) -> Self {
        let clock = Self { origin: asked, offset: AtomicI64::new(0) };
        clock.set(database, asked, answered);
        clock
    }

    /// Sets the clock. We assume that the database read its time halfway between the request and the reply.
    fn set(&self, database: Timestamp, asked: Instant, answered: Instant) {
        let middle = asked + (answered - asked) / 2;
        self.offset.store(database.as_micros() - micros(middle - self.origin), Ordering::SeqCst);
    }

    async fn read_again(&self, store: &dyn Store) -> StoreResult<()> {
        let asked = Instant::now();
        if let Some(time) = store.shared_time().await? {
            let answered = Instant::now();
            if answered - asked <= PROMPT {
                self.set(time, asked, answered);
            }
        }
        Ok(())
    }
}

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(micros(self.origin.elapsed()) + self.offset.load(Ordering::SeqCst))
    }
}

/// Returns the clock for all processes that share this database: the database's own, or the machine's if only this process uses
/// it.
pub async fn of(
    store: &Arc<dyn Store>,
    machine: Arc<dyn Clock>,
    tasks: &TaskTracker,
    stopping: &CancellationToken,
) -> StoreResult<Arc<dyn Clock>> {
    let asked = Instant::now();
    let Some(time) = store.shared_time().await? else { return Ok(machine) };
    let clock = Arc::new(SharedClock::new(time, asked, Instant::now()));
    let apart = Duration::from_micros(machine.now().as_micros().abs_diff(clock.now().as_micros()));
    if apart > Duration::from_secs(5) {
        tracing::warn!(
            seconds = apart.as_secs(),
            "this machine's clock and the database's differ; the database's is used"
        );
    }
    let (kept, store, stop) = (Arc::clone(&clock), Arc::clone(store), stopping.clone());
    tasks.spawn(async move {
        while tokio::time::timeout(READ_EVERY, stop.cancelled()).await.is_err() {
            if let Err(error) = kept.read_again(&*store).await {
                tracing::debug!(%error, "the database's time could not be read; the last reading goes on");
            }
        }
    });
    Ok(clock)
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

/// Creates UUIDv7: ordered by time, with randomness from the operating system.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemIds;

impl Ids for SystemIds {
    #[expect(clippy::disallowed_methods, reason = "this is the source of ids that everything else is handed")]
    fn next_uuid(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_databases_time_goes_on_by_itself_and_is_set_right_by_the_next_reading() {
        let noon: Timestamp = "2031-01-01T12:00:00Z".parse().unwrap();
        let asked = Instant::now();
        let clock = SharedClock::new(noon, asked, asked + Duration::from_millis(200));
        // It is noon 100 ms after the request began, and that moment is still to come.
        let first = clock.now();
        assert!(first >= Timestamp::from_micros(noon.as_micros() - 100_000));
        assert!(clock.now() >= first);

        let later = Timestamp::from_micros(noon.as_micros() + 3_600_000_000);
        let asked = Instant::now();
        clock.set(later, asked, asked);
        assert!(clock.now() >= later);
    }
}
