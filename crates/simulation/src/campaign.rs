//! Plays many seeds on several threads, until enough seeds fail, all seeds are played, or the time is up.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    plan::{Plan, Planted},
    shrink::shrink,
    world::play,
};

/// What to run.
#[derive(Debug, Clone, Copy)]
pub struct Campaign {
    pub first: u64,
    pub seeds: u64,
    pub threads: usize,
    pub planted: Option<Planted>,
    /// Start no new seed after this time.
    pub at_most: Option<Duration>,
    /// Stop after this many failures.
    pub failures: usize,
}

/// A seed that failed.
#[derive(Debug, Clone)]
pub struct Failure {
    pub seed: u64,
    pub violations: Vec<String>,
}

/// The results of a campaign.
#[derive(Debug, Clone, Default)]
pub struct Report {
    pub seeds: u64,
    pub steps: u64,
    pub runs: u64,
    pub sent: u64,
    /// A hash of everything that happened in all seeds, independent of their order. A code change without effects does not change it.
    pub fingerprint: u64,
    pub took: Duration,
    pub failures: Vec<Failure>,
}

impl Report {
    pub fn seeds_per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        let seeds = self.seeds as f64;
        seeds / self.took.as_secs_f64().max(f64::EPSILON)
    }
}

impl Campaign {
    pub fn of(seeds: u64) -> Self {
        Self { first: 0, seeds, threads: 1, planted: None, at_most: None, failures: 1 }
    }

    pub fn run(&self) -> Report {
        let begun = Instant::now();
        let (next, enough) = (AtomicU64::new(0), AtomicBool::new(false));
        let report = Mutex::new(Report::default());
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    while !enough.load(Ordering::Relaxed) && self.at_most.is_none_or(|most| begun.elapsed() < most) {
                        let nth = next.fetch_add(1, Ordering::Relaxed);
                        if nth >= self.seeds {
                            return;
                        }
                        let seed = self.first + nth;
                        let plan = Plan { planted: self.planted, ..Plan::of(seed) };
                        let outcome = play(plan, false);
                        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                        report.seeds += 1;
                        report.steps += outcome.steps;
                        report.runs += outcome.runs as u64;
                        report.sent += outcome.sent as u64;
                        report.fingerprint =
                            report.fingerprint.wrapping_add(outcome.fingerprint.rotate_left((seed % 64) as u32));
                        if !outcome.violations.is_empty() {
                            report.failures.push(Failure { seed, violations: outcome.violations });
                            enough.store(report.failures.len() >= self.failures, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let mut report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.took = begun.elapsed();
        report.failures.sort_by_key(|failure| failure.seed);
        report
    }
}

/// Explains why a seed fails, with as few parts of the plan as possible: the plan, and what happened, line by line.
pub fn explain(plan: Plan) -> String {
    use std::fmt::Write as _;
    let whole = plan.size();
    let small = shrink(plan);
    let outcome = play(small.clone(), true);
    let mut text = String::new();
    let _ = writeln!(text, "seed {}, shrunk from {whole} to {} things that happen:", small.seed, small.size());
    let _ = writeln!(text, "{small:#?}");
    for line in &outcome.trace {
        let _ = writeln!(text, "{line}");
    }
    for violation in &outcome.violations {
        let _ = writeln!(text, "VIOLATION {violation}");
    }
    text
}
