//! Random choices that follow from a seed.

use std::time::{Duration, Instant};

/// The random generator `SplitMix64`, which is small and good enough to choose moments.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number less than `end`.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns `true` one time in `n`.
    pub const fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[usize::try_from(self.below(from.len() as u64)).unwrap()]
    }

    pub const fn millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.below(to - from))
    }

    /// Returns an independent sequence.
    pub const fn fork(&mut self) -> Self {
        Self(self.next())
    }
}

/// Returns `FIRE_SEED`, or else the given seed, and prints it so that a failure can be replayed.
#[expect(clippy::disallowed_methods, reason = "how a test is told its seed")]
pub fn seed(of: &str, usual: u64) -> u64 {
    let seed = std::env::var("FIRE_SEED").ok().and_then(|text| text.trim().parse().ok()).unwrap_or(usual);
    println!("{of}: FIRE_SEED={seed}");
    seed
}

/// Returns `FIRE_MOMENTS`, or else the given number.
#[expect(clippy::disallowed_methods, reason = "how a test is told its length")]
pub fn moments(usual: u64) -> u64 {
    std::env::var("FIRE_MOMENTS").ok().and_then(|text| text.trim().parse().ok()).unwrap_or(usual)
}

/// Returns a random seed, for the long runs.
pub fn any() -> u64 {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).unwrap();
    u64::from(u32::from_le_bytes(bytes))
}

/// The end of a long run: after `FIRE_SECONDS` seconds, the run begins no new world.
pub struct Clock(Option<Instant>);

impl Clock {
    #[expect(clippy::disallowed_methods, reason = "how a test is told its length")]
    pub fn start() -> Self {
        let seconds = std::env::var("FIRE_SECONDS").ok().and_then(|text| text.trim().parse().ok());
        Self(seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)))
    }

    pub fn is_over(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}
