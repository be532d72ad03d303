//! The simulated data: accounts, apps, sources, groups and daily numbers. It is the same on every machine and uses no clock and no
//! randomness.

pub mod accounts;
pub mod apps;
pub mod books;
pub mod countries;
pub mod figures;
pub mod sources;

/// Returns a well-mixed 64-bit hash of a few numbers (`SplitMix64` steps). All variety in this module comes from it.
pub fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |state, part| step(state ^ part.wrapping_mul(0xff51_afd7_ed55_8ccd)))
}

/// Makes one step of the hash.
pub fn step(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Turns a hash into a number in `[0, 1)`.
#[expect(clippy::cast_precision_loss, reason = "the upper 52 bits fit a double exactly")]
pub fn unit(hash: u64) -> f64 {
    (hash >> 12) as f64 / (1_u64 << 52) as f64
}

/// Turns a hash into a number in `[low, high)`.
pub fn between(hash: u64, low: f64, high: f64) -> f64 {
    low + (high - low) * unit(hash)
}

/// Turns a hash into ten digits that never start with zero.
pub fn ten_digits(hash: u64) -> String {
    (1_000_000_000 + hash % 9_000_000_000).to_string()
}
