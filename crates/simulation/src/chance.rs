//! The source of all randomness in a simulation: one number decides everything. It must never ask the machine for randomness.

use std::sync::atomic::{AtomicU64, Ordering};

/// A stream of numbers that depends only on its seed.
#[derive(Debug)]
pub struct Chance(AtomicU64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        let chance = Self(AtomicU64::new(seed));
        // Neighboring seeds must not begin with similar numbers.
        chance.next();
        chance.next();
        chance
    }

    /// Returns the next number of `SplitMix64`.
    pub fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to but not including `end`.
    pub fn below(&self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.next() % end }
    }

    /// Returns a number from `from` to `to`, both included.
    pub fn between(&self, from: u64, to: u64) -> u64 {
        from + self.below(to - from + 1)
    }

    /// Returns `true` in this many of a hundred cases.
    pub fn percent(&self, share: u64) -> bool {
        self.below(100) < share
    }

    pub fn pick<T: Copy>(&self, from: &[T]) -> T {
        let at = usize::try_from(self.below(from.len() as u64)).unwrap_or_default();
        from[at]
    }
}
