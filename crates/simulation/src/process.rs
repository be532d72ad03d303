//! A process, and the faults that can happen to it: it is killed or paused, or its clock is wrong.
//!
//! The driver does not learn about faults. Every request of a process to the outside goes through [`Process::gate`], and a dead process
//! never gets through it again. From outside, SIGKILL looks the same: no destructor runs, and the process gives nothing back.

use std::sync::{
    Arc,
    atomic::{AtomicI64, AtomicU8, AtomicU64, Ordering},
};

use adagent_domain::{Clock, Timestamp};
use tokio::{sync::Notify, time::Instant};

const RUNNING: u8 = 0;
const PAUSED: u8 = 1;
const DEAD: u8 = 2;

/// Saturday, November 21, 2026, 09:41 UTC.
const BEGINNING: Timestamp = Timestamp::from_micros(1_795_254_060_000_000);

#[derive(Debug)]
pub struct Process {
    pub name: String,
    /// Its place in the plan. `None` for people.
    pub place: Option<usize>,
    life: AtomicU8,
    changed: Notify,
    /// The error of its clock, in milliseconds.
    skew: AtomicI64,
    /// How many requests to the outside it has made.
    pub(crate) steps: AtomicU64,
    started: Instant,
}

impl Process {
    pub fn new(name: String, place: Option<usize>, started: Instant, skew: i64) -> Arc<Self> {
        Arc::new(Self {
            name,
            place,
            life: AtomicU8::new(RUNNING),
            changed: Notify::new(),
            skew: AtomicI64::new(skew),
            steps: AtomicU64::new(0),
            started,
        })
    }

    pub fn is_dead(&self) -> bool {
        self.life.load(Ordering::Relaxed) == DEAD
    }

    pub fn is_running(&self) -> bool {
        self.life.load(Ordering::Relaxed) == RUNNING
    }

    pub fn kill(&self) {
        self.life.store(DEAD, Ordering::Relaxed);
    }

    pub fn pause(&self) {
        let _ = self.life.compare_exchange(RUNNING, PAUSED, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub fn resume(&self) {
        if self.life.compare_exchange(PAUSED, RUNNING, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.changed.notify_waiters();
        }
    }

    pub fn step_clock(&self, by_ms: i64) {
        self.skew.fetch_add(by_ms, Ordering::Relaxed);
    }

    pub fn skew(&self) -> i64 {
        self.skew.load(Ordering::Relaxed)
    }

    /// Lets a running process through. A paused one waits until it runs again, and a dead one waits forever.
    pub async fn gate(&self) {
        loop {
            match self.life.load(Ordering::Relaxed) {
                RUNNING => return,
                DEAD => std::future::pending::<()>().await,
                _ => self.changed.notified().await,
            }
        }
    }
}

impl Clock for Process {
    fn now(&self) -> Timestamp {
        let elapsed = Instant::now().saturating_duration_since(self.started);
        BEGINNING.plus_millis(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)).plus_millis(self.skew())
    }
}
